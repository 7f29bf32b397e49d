import { Command } from 'commander';
import type { HistoryEntry } from '../../projections/registration-history.js';
import { type HistorySubject, registrationHistoryOf } from '../listeners/history.js';
import { normalisedHookUrl } from '../listeners/hook-url.js';
import { contextOf } from './command-context.js';
import { requiredOrganisation } from './options.js';
import { printRows } from './output.js';
import { pagesOf } from './pages.js';

type Options = { readonly org: string; readonly hookUrl?: string; readonly listener?: string };

/** `audit history`: what happened to an organisation's registrations, from the events. */
export function auditCommands(): Command {
  const audit = new Command('audit').description('what happened to registrations, when, and who did it');
  audit
    .command('history')
    .description(
      'every change to an organisation’s registrations, in order, from the view that a running service keeps up to date',
    )
    .addOption(requiredOrganisation())
    .option('--hook-url <url>', 'only of this hook')
    .option('--listener <id>', 'only of this registration')
    .action(async ({ org, hookUrl, listener }: Options, command: Command) => {
      const context = contextOf(command);
      const url = hookUrl === undefined ? undefined : normalisedHookUrl(hookUrl);
      const isMeant = (entry: HistoryEntry) => entry.orgId === org && (url === undefined || entry.hookUrl === url);
      const entries = await context.withStores((stores) =>
        pagesOf(async (after) => {
          const { entries: items, next } = await registrationHistoryOf(
            stores.readModel(),
            subjectOf(org, url, listener),
            { after },
          );
          return { items, next };
        }),
      );
      printRows(
        context.output,
        entries.filter(isMeant), // a registration may be another organisation’s, or of another hook
        {
          at: ({ at }) => at,
          what: ({ type }) => type,
          by: ({ actor }) => actor,
          change: changeOf,
          listener: ({ listenerId }) => listenerId,
          hook: (entry) => entry.hookUrl,
        },
        `nothing has happened to registrations of ${org}`,
      );
    });
  return audit;
}

/** The narrowest that the view can be asked for. */
function subjectOf(orgId: string, hookUrl: string | undefined, listenerId: string | undefined): HistorySubject {
  if (listenerId !== undefined) return { listenerId };
  return hookUrl === undefined ? { orgId } : { orgId, hookUrl };
}

const labels = { subscriptionType: 'type', state: 'state', secretVersion: 'secret' } as const;

/** `type flow.* → flow.completed`, `state active → paused`, with the reason where there is one. */
function changeOf({ before, after, reason }: HistoryEntry): string {
  const changed = (['subscriptionType', 'state', 'secretVersion'] as const)
    .filter((field) => after?.[field] !== undefined && after[field] !== before?.[field])
    .map((field) => {
      const was = before?.[field];
      return `${labels[field]} ${was === undefined ? '' : `${was} → `}${after?.[field]}`;
    });
  return [...changed, ...(reason === null ? [] : [reason])].join(', ');
}
