import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { shareMongoDb } from '../mongodb/shared-mongodb.js';
import { untilIdle } from './processors.js';
import { closingLines, failureOf, readReport, type TestRun } from './report.js';
import { interruptRuns, runFiles } from './run-files.js';
import { isFast, runsAlone, testFiles } from './test-files.js';

/** A test mostly waits, for a process to start or a retry to become due, so there may be more at a time than processors. */
const jobsPerProcessor = 3;

/**
 * Beyond one for each processor, the next file waits until so much of their time is idle: more at a time would take as long
 * in all, and each of them would be late for its timeouts.
 */
const idleForNext = 0.1;

/** Files that measure times, against servers that freeze: they run after the others, two for each processor, since they mostly wait. */
const timed = ['race-mongodb', 'cluster/frozen-node', 'event-store/eventstoredb/', 'eventstoredb-double/'];

/** The fast tests share a few processes, since it takes longer to start one than to run most of these files. More than jobs: groups differ. */
const fastGroups = 8;

/** Maximum number of other files that share a process, one after the other: they load the same modules. */
const sharedFiles = 9;

/** Test files that run in one process. `guarded`: none of them may start a process or a server. */
type Group = { files: readonly string[]; guarded: boolean };

/**
 * `npm test [-- [--fast] [--jobs N] [PART_OF_A_PATH ...]]`: runs the test files whose path has one of these parts, by default
 * all. `--fast`: only those that start no process and no server.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      fast: { type: 'boolean', default: false },
      jobs: { type: 'string' },
    },
    allowPositionals: true,
  });
  const files = testFiles().filter(
    (file) => positionals.length === 0 || positionals.some((part) => file.includes(part)),
  );
  const fast = files.filter(isFast);
  const others = values.fast ? [] : files.filter((file) => !fast.includes(file));
  const isTimed = (file: string) => timed.some((part) => file.includes(part));
  const alone = (file: string): Group => ({ files: [file], guarded: false });
  const unmeasured = others.filter((file) => !isTimed(file));
  const waiting = [
    ...unmeasured.filter(runsAlone).map(alone),
    ...inChunks(unmeasured.filter((file) => !runsAlone(file)).sort(), sharedFiles),
    ...inGroups(fast, fastGroups).map((group) => ({ files: group, guarded: true })),
  ];
  const waitingTimed = others.filter(isTimed).map(alone);
  if (waiting.length + waitingTimed.length === 0) throw new Error('no test file has such a path');

  let interruptedBy: NodeJS.Signals | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      interruptedBy = signal;
      interruptRuns();
    });
  }
  const mongoDb = await shareMongoDb();
  const environment = { ...mongoDb.environment, NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled') };
  const runGroup = async ({ files: group, guarded }: Group): Promise<TestRun> => {
    const run = interruptedBy
      ? readReport(group, '', interruptedBy) // a file that was not run is a failure
      : await runFiles(group, { guarded, environment });
    console.log(run.report);
    return run;
  };
  const jobs = Math.max(
    1,
    Number(values.jobs ?? (values.fast ? fastGroups : availableParallelism() * jobsPerProcessor)),
  );
  const atLeast = values.jobs === undefined ? availableParallelism() : jobs;
  const runs: TestRun[] = [];
  let running = 0;
  let turn = Promise.resolve();
  const runAll = async (queue: Group[]) => {
    for (;;) {
      turn = turn.then(() => untilIdle(idleForNext, () => queue.length === 0 || running < atLeast));
      await turn;
      const group = queue.shift();
      if (!group) return;
      running += 1;
      runs.push(await runGroup(group));
      running -= 1;
    }
  };
  await Promise.all(Array.from({ length: jobs }, () => runAll(waiting)));
  await Promise.all(Array.from({ length: Math.min(jobs, 2 * availableParallelism()) }, () => runAll(waitingTimed)));
  await mongoDb.stop();
  for (const run of runs) if (run.failed > 0) console.log(failureOf(run));
  console.log(closingLines(runs));
  process.exitCode = runs.some(({ failed }) => failed > 0) ? 1 : 0;
}

function inGroups(files: readonly string[], count: number): readonly (readonly string[])[] {
  const groups = Array.from({ length: count }, (_, group) => files.filter((_file, index) => index % count === group));
  return groups.filter((group) => group.length > 0);
}

/** Neighbours, which import much the same modules. */
function inChunks(files: readonly string[], size: number): readonly Group[] {
  const starts = Array.from({ length: Math.ceil(files.length / size) }, (_, index) => index * size);
  return starts.map((start) => ({ files: files.slice(start, start + size), guarded: false }));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
