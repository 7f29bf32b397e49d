import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Each runs in a process of its own and prints a JSON line for each figure. */
const benches = [
  'appends',
  'subscribe',
  'refresh',
  'deliveries',
  'deliveries-batch',
  'samples',
  'latency',
  'fan-out',
  'fan-out-100k',
  'isolation',
  'projecting',
  'projecting-lag',
  'audit',
  'eventstoredb',
  'mongodb-leasing',
  'mongodb-read-model',
  'mongodb-rebuild',
  'instances',
  'rest',
  'explain',
  'long-changes',
  'crowded-host',
  'cli',
  'console',
  'soak',
];

/** The folders of those that are not in `figures/` itself. */
const fileOf = (name: string): string => {
  if (name === 'deliveries-batch' || name === 'samples') return `flows/${name}`;
  return name.replace(/^mongodb-/, 'mongodb/');
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !benches.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`bench: there is no ${unknown.join(', ')}: there are ${benches.join(', ')}\n`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : benches) {
  const bench = spawn(process.execPath, [fileURLToPath(new URL(`./figures/${fileOf(name)}.js`, import.meta.url))], {
    stdio: 'inherit',
  });
  const [code] = (await once(bench, 'exit')) as [number | null];
  if (code !== 0) process.exitCode = 1;
}
