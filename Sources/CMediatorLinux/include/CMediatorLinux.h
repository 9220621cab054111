// The Linux calls that Glibc's Swift module lacks, and the one signal handler.
#pragma once
