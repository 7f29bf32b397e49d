import type { Command } from 'commander';
import { projections } from '../../../projections/index.js';
import type { Projection } from '../../stores/read-model/projection.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';

/** `projections list`: the views, and all builds of each. */
export async function list(_: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const views = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    const of = async (projection: Projection) => ({
      name: projection.name,
      version: projection.version,
      live: (await readModel.live(projection)) ?? null,
      builds: await readModel.builds(projection),
    });
    return Promise.all(projections.map(of));
  });
  printRows(
    output,
    views,
    {
      view: ({ name }) => name,
      version: ({ version }) => version,
      live: ({ live }) => live ?? 'not built yet',
      others: ({ live, builds }) => builds.filter((build) => build !== live).join(' '),
    },
    'there are no views',
  );
}
