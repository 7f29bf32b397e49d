import type { Command } from 'commander';
import type { AuditEntry, Facts } from '../../admin/audit/audit-entry.js';
import { historyRequest, serviceHistoryRequest } from '../../admin/audit/contract.js';
import { auditHistory } from '../../admin/audit/history.js';
import { serviceHistory } from '../../admin/audit/service-history.js';
import type { Json } from '../../stores/event-store/event-store.js';
import { printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';
import { withStreams } from './query.js';

type Options = {
  readonly org: string;
  readonly hookUrl?: string;
  readonly listener?: string;
  readonly user?: string | true;
  readonly from?: string;
  readonly to?: string;
  readonly fullScan?: true;
};

/** `audit history`: every change to an organisation's listeners, from the events. */
export async function showHistory({ org, listener, fullScan, ...options }: Options, command: Command): Promise<void> {
  const query = parseOptions(historyRequest, { ...options, orgId: org, listenerId: listener });
  const { context, result } = await withStreams(command, fullScan === true, async (stores, find) =>
    auditHistory(await stores.events(), find.ofOrganisation, query),
  );
  printRows(
    context.output,
    result,
    {
      at: ({ at }) => at,
      what: ({ type }) => type,
      by: ({ actor }) => actor,
      change: changeOf,
      'caused by': ({ causationId, correlationId }) => causationId ?? correlationId,
      'listener, session or key': ({ listenerId, sessionId, apiKeyId }) => listenerId ?? sessionId ?? apiKeyId,
      'hook URL': ({ hookUrl }) => hookUrl,
    },
    `nothing has happened to listeners of ${org}`,
  );
}

type ServiceOptions = Pick<Options, 'from' | 'to' | 'fullScan'>;

/** `audit service-history`: every change to the service's clients, keys and event types, from the events. */
export async function showServiceHistory({ fullScan, ...options }: ServiceOptions, command: Command): Promise<void> {
  const query = parseOptions(serviceHistoryRequest, options);
  const { context, result } = await withStreams(command, fullScan === true, async (stores, find) =>
    serviceHistory(await stores.events(), find.ofEventTypes, query),
  );
  printRows(
    context.output,
    result,
    {
      at: ({ at }) => at,
      what: ({ type }) => type,
      by: ({ actor }) => actor,
      'client or type': ({ clientId, eventType }) => clientId ?? eventType,
      change: changeOf,
      'caused by': ({ causationId, correlationId }) => causationId ?? correlationId,
    },
    'nothing has happened to clients, keys and event types of the service',
  );
}

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
