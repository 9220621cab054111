// A peer: Node's signal handlers.
const fs = require('fs')

function stamp() {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(process.hrtime.bigint())
  fs.writeSync(1, bytes)
}

process.on('SIGUSR1', stamp)
process.on('SIGUSR2', stamp)
process.on('SIGTERM', () => process.exit(0))
setInterval(() => {}, 1 << 30)
