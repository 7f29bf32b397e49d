import { execFileSync } from 'node:child_process';

/** Runs a command of buildah, whose messages are shown. Returns what it printed. */
export type Buildah = (...args: readonly string[]) => string;

/** Runs a program. Returns what it printed on standard output. */
export const output = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

/** buildah with images of its own in a directory, in the way that works in a container too. */
export function buildahIn(directory: string): Buildah {
  process.env.BUILDAH_ISOLATION = 'chroot';
  const storage = ['--storage-driver=vfs', `--root=${directory}/images`, `--runroot=${directory}/run`];
  return (...args) => output('buildah', ...storage, ...args);
}
