import { execFile } from 'node:child_process';
import { chownSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RunningProcess, startProcess } from '../process.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** Settings of an image for its containers. */
export type ImageSettings = {
  User: string;
  Env: readonly string[];
  Entrypoint: readonly string[];
  WorkingDir: string;
  Healthcheck: { Test: readonly string[] };
};

export type Container = {
  /** Resolves to its output; rejects if it fails. */
  execute: (...command: readonly string[]) => Promise<string>;
  printed: () => string;
  /** Sends the signal to the first process; resolves to the container's exit code. */
  stop: (signal: NodeJS.Signals) => Promise<number | null>;
};

/** Mounts as container engines do with a volume for `/data`: only it and `/tmp` can be written to. */
const enter = `
mount --bind "$0" "$0"
mount --bind "$1" "$0/data"
mount -t proc proc "$0/proc"
mount --rbind /dev "$0/dev"
mount -t tmpfs tmpfs "$0/tmp"
mount -o remount,bind,ro "$0"
shift
exec chroot "$@"`;

/**
 * Starts the image of a root file system in namespaces of its own for processes and mounts, on the network of this machine.
 *
 * @param root directory of its files, which is shown to it read-only
 * @param environment in addition to the image's
 */
export async function startContainer(
  root: string,
  { User, Env, Entrypoint, WorkingDir }: ImageSettings,
  environment: Readonly<Record<string, string>>,
): Promise<Container> {
  const variables = [...Env, ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)];
  const inside = ['env', '--ignore-environment', `--chdir=${WorkingDir}`, ...variables];
  const user = [`--userspec=${User}`, '--groups='];
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  const args = [...namespaces, 'sh', '-ec', enter, root, volumeLike(join(root, 'data')), ...user, root];
  const unshare = startProcess('unshare', [...args, ...inside, ...Entrypoint], { env: process.env });
  await unshare.prints(/serving on/);
  const first = firstProcess(unshare);
  const at = [`--target=${first}`, '--mount', '--pid', '--root'];
  return {
    printed: unshare.printed,
    async execute(...command) {
      const args = [...at, 'chroot', ...user, '/', ...inside, ...command];
      return (await promisify(execFile)('nsenter', args)).stdout;
    },
    async stop(signal) {
      process.kill(first, signal);
      return (await unshare.ended).code;
    },
  };
}

/** A new directory with the owner that the image gives to this one. */
function volumeLike(directory: string): string {
  const volume = temporaryDirectory();
  const { uid, gid } = statSync(directory);
  chownSync(volume, uid, gid);
  return volume;
}

/** The process with the number 1 in the container, as this machine numbers it. */
function firstProcess({ pid }: RunningProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}
