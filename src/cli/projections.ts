import { Command } from 'commander';
import { projections } from '../../projections/index.js';
import { rebuild } from '../read-model/rebuild.js';
import { contextOf } from './command-context.js';
import { UsageError } from './failure.js';
import { printResult } from './output.js';

/** `projections rebuild NAME`: builds a view anew beside the live one and points queries at it. */
export function projectionCommands(): Command {
  const commands = new Command('projections').description('the views that are made from events');
  commands
    .command('rebuild')
    .description('builds a view anew from all events, beside the live one, and then points queries at it')
    .argument('<name>', `one of ${projections.map(({ name }) => name).join(', ')}`)
    .action(async (name: string, _: object, command: Command) => {
      const projection = projections.find((each) => each.name === name);
      if (!projection) throw new UsageError(`there is no projection ${name}: there are ${names()}`);
      const context = contextOf(command);
      const rebuilt = await context.withStores((stores) =>
        rebuild({ store: stores.events(), readModel: stores.readModel(), projection }),
      );
      const { events, seconds } = rebuilt;
      printResult(
        context.output,
        { projection: name, ...rebuilt },
        `${name}: rebuilt from ${events} events in ${seconds.toFixed(1)} s`,
      );
    });
  return commands;
}

const names = (): string => projections.map(({ name }) => name).join(', ');
