#include "CMediatorLinux.h"
