import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../temporary-directory.js';

const compiled = fileURLToPath(new URL('../../../', import.meta.url));
export const nextVersion = '1.1.0';

export type NextRelease = {
  /** Main file for `startService`. */
  main: string;
  /** File of `flow-hooks` for `node`. */
  cli: string;
};

/**
 * A copy of the compiled service with the changes that a minor release may bring: a new version of the listeners view, a further step in the
 * schema of both SQLite files and, with `events`, a new version of `ListenerSubscribed`, which it reads from the old one.
 */
export function nextRelease({ events }: { events: boolean }): NextRelease {
  const folder = temporaryDirectory();
  for (const part of ['src', 'projections'])
    cpSync(join(compiled, part), join(folder, 'dist', part), { recursive: true });
  for (const part of ['assets', 'bin']) cpSync(resolve(part), join(folder, part), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const manifest = JSON.parse(readFileSync(resolve('package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: nextVersion }));

  const change = (file: string, pattern: RegExp, by: string) => {
    const path = join(folder, 'dist', file);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(pattern, by);
    if (after === before) throw new Error(`${file} has nothing like ${pattern}`);
    writeFileSync(path, after);
  };
  change('projections/listeners.js', /\n( *)version: (\d+),/, '\n$1version: $2 + 1,');
  change('projections/listeners.js', /const document = \{/, 'const document = { origin: data.origin ?? null,');
  const step = (sql: string) => `\`, \`${sql}\`,\n    ],\n};`;
  change('src/queue/sqlite/schema.js', /`,\s*\],\s*\};/, step('ALTER TABLE messages ADD COLUMN origin TEXT'));
  change(
    'src/stores/event-store/sqlite/schema.js',
    /`,\s*\],\s*\};/,
    step('CREATE INDEX events_by_type ON events (type)'),
  );
  if (events)
    change(
      'src/events/listener-events.js',
      /(?<=export const ListenerSubscribed = )(listenerEvent\('ListenerSubscribed', .*\));/,
      `(({ version, schema, upcasts, ...definition }) => ({
        ...definition,
        version: version + 1,
        schema: schema.extend({ origin: z.string().default('${nextVersion}') }),
        upcasts: { ...upcasts, [version]: (data) => ({ ...data, origin: 'before ${nextVersion}' }) },
      }))($1);`,
    );
  return { main: join(folder, 'dist/src/main.js'), cli: join(folder, 'bin/flow-hooks.js') };
}
