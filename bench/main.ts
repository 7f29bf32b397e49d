import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Folder = { readonly path: string; readonly prefix?: string; readonly benches: readonly string[] };

const folders: readonly Folder[] = [
  {
    path: 'figures',
    benches: [
      'appends',
      'subscribe',
      'refresh',
      'projecting',
      'projecting-lag',
      'audit',
      'eventstoredb',
      'rest',
      'memory',
      'cli',
      'console',
      'soak',
    ],
  },
  {
    path: 'figures/deliveries',
    benches: [
      'deliveries',
      'latency',
      'fan-out',
      'fan-out-100k',
      'isolation',
      'instances',
      'explain',
      'long-changes',
      'crowded-host',
      'transforms',
      'filters',
    ],
  },
  { path: 'figures/flows', benches: ['deliveries-batch', 'samples'] },
  { path: 'figures/mongodb', prefix: 'mongodb-', benches: ['leasing', 'read-model', 'rebuild'] },
];

const benches = new Map(
  folders.flatMap(({ path, prefix = '', benches: names }) =>
    names.map((name) => [`${prefix}${name}`, `./${path}/${name}.js`] as const),
  ),
);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !benches.has(name));
if (unknown.length > 0) {
  process.stderr.write(`bench: there is no ${unknown.join(', ')}: there are ${[...benches.keys()].join(', ')}\n`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : benches.keys()) {
  const bench = spawn(process.execPath, [fileURLToPath(new URL(benches.get(name) ?? '', import.meta.url))], {
    stdio: 'inherit',
  });
  const [code] = (await once(bench, 'exit')) as [number | null];
  if (code !== 0) process.exitCode = 1;
}
