import { once } from 'node:events';
import { createServer } from 'node:net';

/** Range below all that systems give to those who ask for any port, or connect from any: 32768 and more, 49152 elsewhere. */
const [lowest, highest] = [21_131, 32_767];

/**
 * A port of 127.0.0.1 without a listener, which no other process gets by chance: for a server that restarts on its port, and for
 * an address without a server.
 */
export async function reusablePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
