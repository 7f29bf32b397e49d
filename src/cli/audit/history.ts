import { type showAsOfRoute, showHistoryRoute } from '../../admin/api/contracts/audit.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { subscriptionColumns } from '../../listeners/shown-subscription.js';
import type { CommandContext } from '../context.js';
import { wholeNumber } from '../options.js';
import { type Columns, printRows } from '../output.js';
import type { Given } from '../route-command.js';

type AuditEntry = RouteAnswer<typeof showHistoryRoute>['items'][number];
type Facts = AuditEntry['before'];

/** Prints the changes in an organisation, the oldest first. Throws `UsageError`. */
export async function history({ limit, ...given }: Given, { output, allOf }: CommandContext): Promise<void> {
  const max = limit === undefined ? undefined : wholeNumber('--limit', `${limit}`, 1, 1_000_000);
  const first = max === undefined ? 'oldest' : 'newest';
  const found = await allOf(showHistoryRoute, { ...given, first }, max);
  printRows(
    output,
    first === 'newest' ? found.toReversed() : found,
    {
      at: 'at',
      what: 'type',
      by: actorOf,
      change: changeOf,
      'caused by': causeOf,
      'listener, session or key': objectOf,
      'hook URL': 'hookUrl',
    },
    `nothing has happened to listeners of ${given.orgId}`,
  );
}

export const serviceColumns: Columns<AuditEntry> = {
  at: 'at',
  what: 'type',
  by: actorOf,
  'client or type': ({ clientId, eventType }) => clientId ?? eventType,
  change: changeOf,
  'caused by': causeOf,
};

type ListenerAsOf = RouteAnswer<typeof showAsOfRoute>['items'][number];

export const asOfColumns: Columns<ListenerAsOf> = {
  listener: ({ listenerId }) => textOf(listenerId),
  state: ({ state }) => textOf(state),
  ...subscriptionColumns,
  user: ({ userId }) => textOf(userId),
  'changed at': ({ changedAt }) => changedAt,
  'hook URL': ({ hookUrl }) => textOf(hookUrl),
};

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function actorOf({ actor, actorName }: AuditEntry) {
  return actorName === null ? actor : `${actor} (${actorName})`;
}

function objectOf({ listenerId, sessionId, apiKeyId, before, after }: AuditEntry) {
  if (apiKeyId === null) return listenerId ?? sessionId;
  const name = textOf((after ?? before)?.name);
  return name === '' ? apiKeyId : `${apiKeyId} (${name})`;
}

function causeOf({ causationId, correlationId }: AuditEntry) {
  return causationId ?? correlationId;
}

/** Fields with their own columns. */
const elsewhere = new Set(['listenerId', 'hookUrl', 'orgId']);

/** `state active → paused`, with the reason where there is one; for a new listener or session, all its fields. */
function changeOf({ before, after, reason, undecodable }: AuditEntry): string {
  if (undecodable !== null) return undecodable;
  const names = Object.keys({ ...before, ...after }).filter((name) => !elsewhere.has(name));
  const changes = after === null ? [] : names.flatMap((name) => changeIn(name, before, after));
  return [...changes, ...(reason === null ? [] : [reason])].join(', ');
}

function changeIn(name: string, before: Facts, after: NonNullable<Facts>): string[] {
  const [was, is] = [shown(before?.[name]), shown(after[name])];
  if (was === is) return [];
  return [was === '' ? `${name} ${is}` : `${name} ${was} → ${is === '' ? 'none' : is}`];
}

/** Empty for absent and false values. */
const shown = (value: unknown): string => {
  if (value === null || value === undefined || value === false) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
