import type { IDataObject, IHookFunctions, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { jsonValue } from '../shared/json';
import { isRefusal, requestService } from '../shared/service';

// What the node keeps in its static data, which n8n stores with the workflow: `hookUrl`, `listenerId`, `signingSecret`.

export const isRegisteredAt = ({ hookUrl, signingSecret }: IDataObject, webhookUrl: string | undefined): boolean =>
  hookUrl === webhookUrl && typeof signingSecret === 'string';

/** Registers the webhook of the node with the service, and keeps the signing secret. Throws `NodeApiError`, `NodeOperationError`. */
export async function registerListener(context: IHookFunctions): Promise<void> {
  const hookUrl = context.getNodeWebhookUrl('default');
  const answer = await requestService(context, {
    method: 'POST',
    path: 'listeners/subscribe/flows',
    body: {
      hookUrl,
      subscriptionType: context.getNodeParameter('subscriptionType', undefined, { extractValue: true }) as string,
      ...selectionOf(context),
    },
  });
  const { listenerId, signingSecret } = answer as IDataObject;
  Object.assign(context.getWorkflowStaticData('node'), { hookUrl, listenerId, signingSecret });
}

/** Removes the listener. One that the service does not know is removed already. Throws `NodeApiError`. */
export async function removeListener(context: IHookFunctions): Promise<void> {
  const kept = context.getWorkflowStaticData('node');
  const hookUrl = context.getNodeWebhookUrl('default');
  try {
    await requestService(context, { method: 'POST', path: 'listeners/unsubscribe/flows', body: { hookUrl } });
  } catch (error) {
    if (!isRefusal(error, 'listener_not_found')) throw new NodeApiError(context.getNode(), error as JsonObject);
  }
  for (const name of ['hookUrl', 'listenerId', 'signingSecret']) delete kept[name];
}

/** The filter and the options, without those that are empty. */
function selectionOf(context: IHookFunctions): IDataObject {
  const { transform, ...options } = context.getNodeParameter('options', {}) as IDataObject;
  const filter = filterOf(context);
  return { ...options, ...(transform && { transform }), ...(filter && { filter }) };
}

function filterOf(context: IHookFunctions): IDataObject | undefined {
  const value = context.getNodeParameter('filter', '{}');
  const filter = value === '' ? {} : jsonValue(context.getNode(), 'Filter', value);
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw new NodeOperationError(context.getNode(), 'Filter has to be a JSON object');
  }
  return Object.keys(filter).length === 0 ? undefined : (filter as IDataObject);
}
