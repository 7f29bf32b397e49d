import { pino } from 'pino';
import { type Config, InvalidConfiguration, readConfig } from './config.js';
import { DomainError } from './domain-error.js';
import { welcome } from './http/welcome.js';
import { type Service, startService } from './service.js';

/** Reads the settings, starts the service, and stops it on a signal: gracefully on the first, at once on the second. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false }));
  const service = await startService(config, log);
  stopOnSignal(service, config);
  process.stdout.write(`${welcome(config, service.origin)}\n`);
}

function stopOnSignal(service: Service, { http }: Config): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(130);
    stopping = true;
    await service.stop(http.stopTimeoutMs);
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
}

/** One line for each thing that keeps the service from starting, and none of what is inside. */
function explain(error: unknown): string {
  if (error instanceof InvalidConfiguration) return error.message;
  if (error instanceof DomainError) return error.message;
  if (error instanceof Error && 'code' in error) {
    const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
    if (code === 'EADDRINUSE') return `PORT ${port} is in use on ${address}: choose another PORT`;
    if (code === 'EADDRNOTAVAIL') return `HOST ${address} is not an address of this machine`;
    if (code === 'EACCES' && port !== undefined) return `PORT ${port} needs privileges that this process does not have`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  await main();
} catch (error) {
  for (const line of explain(error).split('\n')) process.stderr.write(`flow-hooks: ${line}\n`);
  process.exitCode = 1;
}
