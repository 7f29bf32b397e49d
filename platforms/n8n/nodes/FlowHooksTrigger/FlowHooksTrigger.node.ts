import type {
  IHookFunctions,
  ILoadOptionsFunctions,
  INodeListSearchResult,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { authentication, credentials } from '../shared/authentication';
import { itemOf } from '../shared/json';
import { requestService } from '../shared/service';
import { refusalOf } from '../shared/signature';
import { isRegisteredAt, registerListener, removeListener } from './listener';

type SubscriptionType = { readonly id: string; readonly name: string; readonly description: string };

/** n8n asks for the next page when a user has scrolled to the end of the list. */
const typesPerPage = 100;

export class FlowHooksTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Flow Hooks Trigger',
    name: 'flowHooksTrigger',
    icon: { light: 'file:../../icons/flow-hooks.svg', dark: 'file:../../icons/flow-hooks.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["subscriptionType"]?.value ?? $parameter["subscriptionType"]}}',
    description: 'Starts the workflow when a flow event happens in the organisation',
    defaults: { name: 'Flow Hooks Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials,
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      authentication,
      {
        displayName: 'Event Type',
        name: 'subscriptionType',
        type: 'resourceLocator',
        default: { mode: 'list', value: '*', cachedResultName: 'All events' },
        required: true,
        description: 'Which flow events start the workflow',
        modes: [
          {
            displayName: 'From List',
            name: 'list',
            type: 'list',
            typeOptions: { searchListMethod: 'searchSubscriptionTypes', searchable: true },
          },
          {
            displayName: 'By Name',
            name: 'name',
            type: 'string',
            placeholder: 'order.*',
            hint: 'A type, or all types below a prefix: order.*',
          },
        ],
      },
      {
        displayName: 'Filter',
        name: 'filter',
        type: 'json',
        default: '{}',
        placeholder: '{"data.total": {"$gt": 40}}',
        description:
          'Conditions on the event, in the query operators of MongoDB. Only matching events are sent. Empty: all events of the type.',
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add option',
        default: {},
        options: [
          {
            displayName: 'Deliver in Order',
            name: 'ordered',
            type: 'boolean',
            default: false,
            description: 'Whether each event waits until the one before it has been delivered',
          },
          {
            displayName: 'Deliveries per Second',
            name: 'ratePerSecond',
            type: 'number',
            typeOptions: { minValue: 0.001 },
            default: 10,
            description: 'Maximum rate of deliveries',
          },
          {
            displayName: 'Transform',
            name: 'transform',
            type: 'string',
            typeOptions: { rows: 3 },
            default: '',
            placeholder: '{"customer": data.customer, "total": data.total}',
            description:
              'A <a href="https://jsonata.org">JSONata</a> expression over the event, whose result is sent instead of the event',
          },
        ],
      },
    ],
  };

  methods = {
    listSearch: {
      async searchSubscriptionTypes(
        this: ILoadOptionsFunctions,
        search?: string,
        after?: string,
      ): Promise<INodeListSearchResult> {
        const qs = { limit: typesPerPage, ...(search && { search }), ...(after && { after }) };
        const types = (await requestService(this, {
          method: 'GET',
          path: 'listeners/subscription-types',
          qs,
        })) as SubscriptionType[];
        const isLast = types.length < typesPerPage;
        return {
          results: types.map(({ id, name, description }) => ({ name, value: id, description })),
          ...(!isLast && { paginationToken: types.at(-1)?.id }),
        };
      },
    },
  };

  webhookMethods = {
    default: {
      /** Registers the listener again after a restart of n8n, which changes nothing. */
      async checkExists(this: IHookFunctions): Promise<boolean> {
        if (!isRegisteredAt(this.getWorkflowStaticData('node'), this.getNodeWebhookUrl('default'))) return false;
        try {
          await registerListener(this); // puts back a listener that an operator has removed, and learns a rotated secret
        } catch (error) {
          // Failing here would make n8n remove the listener, and with it the deliveries that wait.
          this.logger.warn(
            `Flow Hooks Trigger: the listener is kept as it was registered before: ${(error as Error).message}`,
          );
        }
        return true;
      },

      async create(this: IHookFunctions): Promise<boolean> {
        await registerListener(this);
        return true;
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        await removeListener(this);
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const request = { headers: this.getHeaderData(), body: this.getRequestObject().rawBody as Buffer | undefined };
    const refusal = refusalOf(request, this.getWorkflowStaticData('node').signingSecret, Date.now());
    if (refusal !== undefined) {
      this.getResponseObject().status(401).json({ error: 'invalid_signature', message: refusal });
      return { noWebhookResponse: true };
    }
    return { workflowData: [[{ json: itemOf(this.getBodyData()) }]] };
  }
}
