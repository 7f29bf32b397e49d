import { registeredAsOf } from '../../admin/audit/as-of.js';
import type { AuditEntry, Facts } from '../../admin/audit/audit-entry.js';
import { asOfRequest, historyRequest, serviceHistoryRequest } from '../../admin/audit/contract.js';
import {
  type FindEventTypeStreams,
  type FindStreams,
  indexedEventTypes,
  indexedStreams,
  scannedEventTypes,
  scannedStreams,
} from '../../admin/audit/find-streams.js';
import { auditHistory, historyCategories } from '../../admin/audit/history.js';
import { serviceHistory as readServiceHistory } from '../../admin/audit/service-history.js';
import { subscriptionColumns } from '../../listeners/subscription.js';
import type { EventStore, Json } from '../../stores/event-store/event-store.js';
import type { CommandContext } from '../context.js';
import { printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';
import { progressOf } from '../progress.js';

type Options = { readonly fullScan?: true };

export async function history(options: Options, context: CommandContext): Promise<void> {
  const query = parseOptions(historyRequest, options);
  const entries = await withStreams(context, options, (store, find) => auditHistory(store, find.ofOrganisation, query));
  printRows(
    context.output,
    entries,
    {
      at: 'at',
      what: 'type',
      by: 'actor',
      change: changeOf,
      'caused by': causeOf,
      'listener, session or key': ({ listenerId, sessionId, apiKeyId }) => listenerId ?? sessionId ?? apiKeyId,
      'hook URL': 'hookUrl',
    },
    `nothing has happened to listeners of ${query.orgId}`,
  );
}

export async function serviceHistory(options: Options, context: CommandContext): Promise<void> {
  const query = parseOptions(serviceHistoryRequest, options);
  const entries = await withStreams(context, options, (store, find) =>
    readServiceHistory(store, find.ofEventTypes, query),
  );
  printRows(
    context.output,
    entries,
    {
      at: 'at',
      what: 'type',
      by: 'actor',
      'client or type': ({ clientId, eventType }) => clientId ?? eventType,
      change: changeOf,
      'caused by': causeOf,
    },
    'nothing has happened to clients, keys and event types of the service',
  );
}

export async function asOf(options: Options, context: CommandContext): Promise<void> {
  const { at, ...query } = parseOptions(asOfRequest, options);
  const listeners = await withStreams(context, options, (store, find) =>
    registeredAsOf(store, find.ofOrganisation, query, at),
  );
  printRows(
    context.output,
    listeners,
    {
      listener: ({ listenerId }) => textOf(listenerId),
      state: ({ state }) => textOf(state),
      ...subscriptionColumns,
      user: ({ userId }) => textOf(userId),
      'changed at': ({ changedAt }) => changedAt,
      'hook URL': ({ hookUrl }) => textOf(hookUrl),
    },
    `${query.orgId} had no listeners`,
  );
}

type FoundStreams = { readonly ofOrganisation: FindStreams; readonly ofEventTypes: FindEventTypeStreams };

/** Runs work that finds streams by the views of a service, or by a scan with progress. */
async function withStreams<Result>(
  { output, withStores }: CommandContext,
  { fullScan }: Options,
  work: (store: EventStore, find: FoundStreams) => Promise<Result>,
): Promise<Result> {
  const progress = progressOf(output);
  return withStores(async (stores) => {
    const store = await stores.events();
    if (fullScan) {
      const onScanned = progress.positions('reading events');
      const ofOrganisation = scannedStreams(store, historyCategories, onScanned);
      return work(store, { ofOrganisation, ofEventTypes: scannedEventTypes(store, onScanned) });
    }
    const readModel = await stores.readModel();
    const ofOrganisation = indexedStreams(store, readModel);
    return work(store, { ofOrganisation, ofEventTypes: indexedEventTypes(store, readModel) });
  }).finally(progress.end);
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

const causeOf = ({ causationId, correlationId }: AuditEntry) => causationId ?? correlationId;

/** Fields with columns of their own. */
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
const shown = (value: Json | undefined): string => {
  if (value === null || value === undefined || value === false) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
