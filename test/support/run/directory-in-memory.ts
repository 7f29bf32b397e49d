import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';

const shared = '/dev/shm';
const neededBytes = 8e9;

/**
 * Puts the temporary directories of all tests in memory where there is room, unless TMPDIR says where: services sync their
 * files, and these tests need no disk that keeps them. Programs must be allowed to run there.
 */
export function useDirectoryInMemory(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(shared)) return;
  const { bavail, bsize } = statfsSync(shared);
  const options = /^\S+ \/dev\/shm tmpfs (?<options>\S+)/m.exec(readFileSync('/proc/mounts', 'utf8'))?.groups?.options;
  if (options === undefined || options.split(',').includes('noexec') || bavail * bsize < neededBytes) return;
  const directory = mkdtempSync(`${shared}/tests-`);
  process.env.TMPDIR = directory;
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
}
