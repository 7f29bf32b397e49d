import { Command, Option } from 'commander';
import { changeOrganisationSettings, organisationSettings } from '../../organisations/change-organisation-settings.js';
import { deliveryOptions } from '../../organisations/organisation-settings.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { requiredOrganisation } from '../options.js';
import { printResult } from '../output.js';
import { eraseCommand } from './erase.js';

type Options = { readonly org: string; readonly ordered?: boolean; readonly rate?: Rate };

/** Commander takes a null for an option without a value. */
type Rate = number | 'none';

/** `orgs erase`, and `orgs settings`: what an organisation's new registrations get that say nothing of their own; changed where an option is given. */
export function organisationCommands(): Command {
  const organisations = new Command('orgs').description('organisations');
  organisations
    .command('settings')
    .description('shows what new registrations of an organisation get by default, and changes what is given')
    .addOption(requiredOrganisation())
    .option('--ordered', 'one delivery at a time, in the order of the flow events')
    .option('--no-ordered', 'no order is kept')
    .addOption(new Option('--rate <number>', 'the most deliveries a second, or none').argParser(rateOf))
    .action(async ({ org, ordered, rate }: Options, command: Command) => {
      const { output, cause, withStores } = contextOf(command);
      const { settings, changed } = await withStores(async (stores) => {
        if (ordered === undefined && rate === undefined) {
          return { settings: await organisationSettings(stores.events(), org), changed: [] };
        }
        const wanted = { orgId: org, ordered, ratePerSecond: rate === 'none' ? null : rate };
        const { state, events } = await changeOrganisationSettings(stores.events(), wanted, { cause, now: new Date() });
        return { settings: state, changed: events.map(({ type }) => type) };
      });
      const order = settings.ordered ? 'in order' : 'in no order';
      const pace =
        settings.ratePerSecond === null ? 'no rate of their own' : `at most ${settings.ratePerSecond} a second`;
      printResult(output, { orgId: org, ...settings, changed }, `new hooks of ${org} get deliveries ${order}, ${pace}`);
    });
  organisations.addCommand(eraseCommand());
  return organisations;
}

/** Throws `UsageError`. */
function rateOf(text: string): Rate {
  if (text === 'none') return text;
  const rate = deliveryOptions.ratePerSecond.safeParse(text.trim() === '' ? Number.NaN : Number(text));
  if (!rate.success) throw new UsageError(`--rate ${rate.error.issues[0]?.message}, or none`);
  return rate.data ?? 'none';
}
