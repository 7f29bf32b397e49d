import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { shareMongoDb } from '../mongodb/shared-mongodb.js';
import { inMemory } from './in-memory.js';
import { programs, without } from './programs.js';
import { type Outcome, runFiles } from './run-files.js';
import { batches, missingPrograms, suiteOf, suites, testFiles } from './suites.js';

const { values, positionals } = parseArgs({
  options: {
    suites: { type: 'string', default: 'core' },
    without: { type: 'string', default: '' },
    jobs: { type: 'string', default: `${2 * availableParallelism()}` },
  },
  allowPositionals: true,
});
const [asked = [], leftOut = []] = [values.suites, values.without].map((names) => names.split(',').filter(Boolean));
const all = testFiles().filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)));
const waiting = batches(all.filter((file) => asked.includes(suiteOf(file))));
const unknown = [...asked.filter((name) => !(name in suites)), ...leftOut.filter((name) => !(name in programs))];
if (unknown.length > 0 || waiting.length === 0) {
  const others = [...new Set(all.map(suiteOf))].join(', ') || 'no suite';
  console.error(
    unknown.length > 0 ? `there is no ${unknown}` : `no file of ${asked} has such a path; there are some in: ${others}`,
  );
  console.error(`suites: ${Object.keys(suites).join(', ')}; programs: ${Object.keys(programs).join(', ')}`);
  process.exit(2);
}
const missing = missingPrograms(asked).filter((name) => !leftOut.includes(name));
for (const name of missing) console.log(`missing: ${name}: ${programs[name].get} (or leave it out: --without ${name})`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1)); // ends the test processes

const wantsMongoDb = !leftOut.includes('java') && asked.some((name) => suites[name]?.programs.includes('java'));
const mongoDb: Awaited<ReturnType<typeof shareMongoDb>> = wantsMongoDb ? await shareMongoDb() : { environment: {} };
const environment = {
  ...mongoDb.environment,
  ...without(leftOut),
  ...inMemory(),
  NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled'),
};
const outcomes: Outcome[] = [];
const line = ([file, seconds]: readonly [string, number]) => `${seconds.toFixed(1).padStart(7)} s  ${sourceOf(file)}`;
const sourceOf = (file: string) => relative('dist', relative('.', file)).replace(/\.js$/, '.ts');

async function runBatches(): Promise<void> {
  for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
    const outcome = await runFiles(batch, { environment });
    outcomes.push(outcome);
    for (const each of outcome.seconds) console.log(line(each));
    if (outcome.failures.length > 0 || positionals.length > 0) process.stdout.write(outcome.printed);
    for (const { file, title, why } of outcome.failures) console.log(`\nFAILED ${sourceOf(file)}: ${title}\n${why}\n`);
  }
}
await Promise.all(Array.from({ length: Number(values.jobs) }, runBatches));
await mongoDb.stop?.();
const seconds = outcomes.flatMap((outcome) => [...outcome.seconds]).sort(([, one], [, other]) => other - one);
const failures = outcomes.flatMap((outcome) => outcome.failures);
console.log(`\nthe slowest of ${seconds.length} files:\n${seconds.slice(0, 10).map(line).join('\n')}\n`);
for (const { file, title } of failures) console.log(`FAILED ${sourceOf(file)}: ${title}`);
console.log(`\n${outcomes.reduce((sum, { passed }) => sum + passed, 0)} passed, ${failures.length} failed`);
if (missing.length > 0) console.log(`missing: ${missing.join(', ')}`);
if (leftOut.length > 0) console.log(`left out: ${leftOut.join(', ')}`);
process.exitCode = failures.length + missing.length > 0 ? 1 : 0;
