import { randomUUID } from 'node:crypto';
import { DateTime } from 'luxon';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { jsonValue } from '../shared/json';
import { listFrom, organisationOf, requestService } from '../shared/service';

/** Runs the node for one item; the results are its output. */
type Operation = (context: IExecuteFunctions, item: number) => Promise<IDataObject[]>;

/** Operations by `<resource>.<operation>`. */
export const operations: Readonly<Record<string, Operation>> = {
  'flowEvent.publish': publish,
  'flowEvent.getAll': getFlowEvents,
  'flowEvent.explain': explain,
  'delivery.get': getDelivery,
  'delivery.getAll': getDeliveries,
};

async function publish(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const { id, ...fields } = given(context, 'additionalFields', item);
  const data = jsonValue(context.getNode(), 'Data', context.getNodeParameter('data', item));
  const event = {
    type: context.getNodeParameter('type', item) as string,
    data: data as IDataObject,
    ...fields,
    id: id ?? idOfItem(context, item),
    orgId: await organisationOf(context),
  };
  return [(await requestService(context, { method: 'POST', path: '/api/flows', body: event })) as IDataObject];
}

/**
 * The ID of the event that this run of the node publishes for an item. n8n keeps it with the execution: if the node is tried again, it
 * publishes the same events.
 */
function idOfItem(context: IExecuteFunctions, item: number): string {
  const ids = context.getContext('node');
  const place = `${context.evaluateExpression('{{ $runIndex }}', item)}.${item}`;
  ids[place] ??= randomUUID();
  return ids[place] as string;
}

async function getFlowEvents(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const qs = { orgId: await organisationOf(context), ...given(context, 'filters', item) };
  return listFrom(context, { method: 'GET', path: '/admin/api/flows', qs }, limitOf(context, item));
}

async function getDeliveries(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const qs = { orgId: await organisationOf(context), ...given(context, 'filters', item) };
  return listFrom(context, { method: 'GET', path: '/admin/api/deliveries', qs }, limitOf(context, item));
}

async function getDelivery(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const path = `/admin/api/deliveries/${pathPart(context, 'deliveryId', item)}`;
  const qs = { orgId: await organisationOf(context) };
  return [(await requestService(context, { method: 'GET', path, qs })) as IDataObject];
}

/** A result for each listener: whether it got the event, and why. */
async function explain(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const path = `/admin/api/flows/${pathPart(context, 'eventId', item)}/explain`;
  const body = { orgId: await organisationOf(context), ...given(context, 'listener', item) };
  return listFrom(context, { method: 'POST', path, body }, limitOf(context, item));
}

const limitOf = (context: IExecuteFunctions, item: number): number | undefined =>
  context.getNodeParameter('returnAll', item) ? undefined : (context.getNodeParameter('limit', item) as number);

const pathPart = (context: IExecuteFunctions, name: string, item: number): string =>
  encodeURIComponent(`${context.getNodeParameter(name, item)}`);

const times = ['from', 'to', 'occurredAt'];

/** The fields of a collection that are filled in; times with their offset. */
const given = (context: IExecuteFunctions, collection: string, item: number): IDataObject =>
  Object.fromEntries(
    Object.entries(context.getNodeParameter(collection, item, {}) as IDataObject)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [name, times.includes(name) ? withOffset(`${value}`, context.getTimezone()) : value]),
  );

/** A time without an offset, as n8n's editor enters it, is in the time zone of the workflow. */
const withOffset = (time: string, zone: string): string => DateTime.fromISO(time, { zone }).toISO() ?? time;
