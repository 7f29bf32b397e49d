import { spawnSync } from 'node:child_process';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { cli } from '../../test/support/service/cli.js';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { childrenCpuSeconds } from '../support/cpu.js';
import { report } from '../support/report.js';

/** Averages out the kernel's resolution of 10 ms. */
const rounds = 20;

const directory = temporaryDirectory();
await openSqliteEventStore({ directory }).close();

const bare = ['-e', '0'];
/** 5 and 13 times are 0.15 and 0.4 s where a bare Node takes 0.03 s. */
const commands = [
  { name: 'flow-hooks --help', args: [cli, '--help'], atMost: 5 },
  {
    name: 'flow-hooks flows publish on the embedded store',
    args: [cli, 'flows', 'publish', '--org', 'acme', '--type', 'flow.completed'],
    atMost: 13,
  },
  {
    name: 'flow-hooks deliveries list on the embedded store',
    args: [cli, 'deliveries', 'list', '--org', 'acme'],
    atMost: 13,
  },
] as const;

function cpuSecondsOf(args: readonly string[]): number {
  const before = childrenCpuSeconds();
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { PATH: process.env.PATH, DATA_DIR: directory },
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return childrenCpuSeconds() - before;
}

const spent = new Map<readonly string[], number>();
for (let round = 0; round <= rounds; round += 1) {
  for (const args of [bare, ...commands.map((command) => command.args)]) {
    const seconds = cpuSecondsOf(args);
    if (round > 0) spent.set(args, (spent.get(args) ?? 0) + seconds / rounds);
  }
}
for (const { name, args, atMost } of commands) {
  report({
    figure: `processor time of ${name}, against a bare node -e 0`,
    ours: spent.get(args) ?? Number.NaN,
    peer: spent.get(bare) ?? Number.NaN,
    unit: 's',
    target: { atMost },
  });
}
