import type { Command } from 'commander';
import { projections } from '../../../projections/index.js';
import { viewStatus } from '../../stores/read-model/following/view-status.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { projectionNamed } from './arguments.js';
import { lagText, stateText } from './text.js';

/** `projections status`: the position and state of each view. */
export async function status(name: string | undefined, _: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const wanted = name === undefined ? projections : [projectionNamed(name)];
  const views = await withStores(async (stores) => {
    const sources = { store: await stores.events(), readModel: await stores.readModel() };
    return Promise.all(wanted.map((projection) => viewStatus(sources, projection)));
  });
  printRows(
    output,
    views,
    {
      view: ({ name }) => name,
      version: ({ version }) => version,
      position: ({ position }) => position,
      head: ({ head }) => head,
      lag: ({ lag }) => lagText(lag),
      state: stateText,
    },
    'there are no views',
  );
}
