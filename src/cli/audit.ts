import { Command } from 'commander';
import type { HistoryEntry } from '../../projections/registration-history.js';
import { type HistorySubject, registrationHistoryOf } from '../listeners/history.js';
import { normalisedHookUrl } from '../listeners/hook-url.js';
import { contextOf } from './command-context.js';
import { printRows } from './output.js';
import { pagesOf } from './pages.js';

type Options = { readonly org: string; readonly hookUrl?: string; readonly listener?: string };

/** `audit history`: what happened to an organisation's registrations, from the events. */
export function auditCommands(): Command {
  const audit = new Command('audit').description('what happened to registrations, when, and who did it');
  audit
    .command('history')
    .description('every change to an organisation’s registrations, in the order in which it happened')
    .requiredOption('--org <organisation>', 'the organisation')
    .option('--hook-url <url>', 'only of this hook')
    .option('--listener <id>', 'only of this registration')
    .action(async ({ org, hookUrl, listener }: Options, command: Command) => {
      const context = contextOf(command);
      const subject: HistorySubject =
        hookUrl === undefined ? { orgId: org } : { orgId: org, hookUrl: normalisedHookUrl(hookUrl) };
      const entries = await context.withStores((stores) =>
        pagesOf(async (after) => {
          const { entries: items, next } = await registrationHistoryOf(stores.readModel(), subject, { after });
          return { items, next };
        }),
      );
      printRows(
        context.output,
        entries.filter(({ listenerId }) => listener === undefined || listenerId === listener),
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
