import { Command } from 'commander';
import { projections } from '../../../projections/index.js';
import type { Projection } from '../../../projections/projection.js';
import { cancelRebuild } from '../../read-model/cancel-rebuild.js';
import { skipEvent } from '../../read-model/skipped-events.js';
import { viewStatus } from '../../read-model/view-status.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { printResult, printRows } from '../output.js';
import { positionOf, projectionNamed, projectionNames } from './arguments.js';
import { rebuildCommand } from './rebuild.js';
import { lagText, stateText } from './text.js';

const cancelledTexts = {
  asked: 'whoever rebuilds it gives up once it has written what it has at hand',
  dropped: 'what was left unfinished has been dropped',
  none: 'no rebuild is under way, and none was left unfinished',
} as const;

/** `projections list|status|rebuild|cancel|skip`: the views that are made from events. */
export function projectionCommands(): Command {
  const commands = new Command('projections').description('the views that are made from events');

  commands
    .command('list')
    .description('lists the views, which build queries go to, and all builds that there are')
    .action(async (_: object, command: Command) => {
      const { output, withStores } = contextOf(command);
      const views = await withStores(async (stores) => {
        const readModel = stores.readModel();
        const of = async (projection: Projection) => ({
          ...{ name: projection.name, version: projection.version },
          ...{ live: (await readModel.live(projection)) ?? null, builds: await readModel.builds(projection) },
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
    });

  commands
    .command('status')
    .description('how far each view is, what keeps it from going on, and how far its rebuild is')
    .argument('[name]', `one of ${projectionNames}; without it, all of them`)
    .action(async (name: string | undefined, _: object, command: Command) => {
      const { output, withStores } = contextOf(command);
      const wanted = name === undefined ? projections : [projectionNamed(name)];
      const views = await withStores((stores) => {
        const sources = { store: stores.events(), readModel: stores.readModel() };
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
    });

  commands.addCommand(rebuildCommand());

  commands
    .command('cancel')
    .description('cancels the rebuild of a view, whichever process is at it; queries go on where they went')
    .argument('<name>', `one of ${projectionNames}`)
    .action(async (name: string, _: object, command: Command) => {
      const { output, withStores } = contextOf(command);
      const projection = projectionNamed(name);
      const cancelled = await withStores((stores) => cancelRebuild(stores.readModel(), projection));
      printResult(output, { projection: name, cancelled }, `${name}: ${cancelledTexts[cancelled]}`);
    });

  commands
    .command('skip')
    .description('has a view leave out an event that it cannot handle, now and in every rebuild; recorded as an event')
    .argument('<name>', `one of ${projectionNames}`)
    .argument('<position>', 'where the view stands: see projections status')
    .requiredOption('--why <text>', 'for people who read the history')
    .action(async (name: string, text: string, { why }: { why: string }, command: Command) => {
      const { output, withStores, cause } = contextOf(command);
      const projection = projectionNamed(name);
      const position = positionOf(text);
      if (why.trim() === '') throw new UsageError('--why must say why');
      const skipped = await withStores((stores) =>
        skipEvent(stores.events(), projection, { position, why }, { cause, now: new Date() }),
      );
      printResult(
        output,
        skipped,
        `${name} leaves out ${skipped.eventType} at revision ${skipped.revision} of ${skipped.stream}; a view that stands ` +
          'before it goes on within a minute',
      );
    });

  return commands;
}
