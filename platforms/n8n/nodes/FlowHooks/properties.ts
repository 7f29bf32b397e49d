import type { INodeProperties } from 'n8n-workflow';

const lists = { flowEvent: ['getAll', 'explain'], delivery: ['getAll'] };

const pages = (resource: keyof typeof lists): INodeProperties[] => [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    displayOptions: { show: { resource: [resource], operation: lists[resource] } },
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    displayOptions: { show: { resource: [resource], operation: lists[resource], returnAll: [false] } },
    default: 50,
    description: 'Max number of results to return',
  },
];

const from: INodeProperties = {
  displayName: 'From',
  name: 'from',
  type: 'dateTime',
  default: '',
  description: 'Those recorded at this time or later',
};

const to: INodeProperties = {
  displayName: 'To',
  name: 'to',
  type: 'dateTime',
  default: '',
  description: 'Those recorded before this time',
};

const type: INodeProperties = {
  displayName: 'Type',
  name: 'type',
  type: 'string',
  default: '',
  placeholder: 'order.*',
  description: 'A type of flow events (order.paid), or all below a prefix (order.*)',
};

const resources: INodeProperties = {
  displayName: 'Resource',
  name: 'resource',
  type: 'options',
  noDataExpression: true,
  options: [
    { name: 'Delivery', value: 'delivery' },
    { name: 'Flow Event', value: 'flowEvent' },
  ],
  default: 'flowEvent',
};

const flowEvents: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['flowEvent'] } },
    options: [
      {
        name: 'Explain',
        value: 'explain',
        action: 'Explain the deliveries of a flow event',
        description: 'For each listener: whether it got the event, and why',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many flow events',
        description: 'List flow events, the latest first',
      },
      {
        name: 'Publish',
        value: 'publish',
        action: 'Publish a flow event',
        description: 'Publish an event, which every matching listener of the organisation receives',
      },
    ],
    default: 'publish',
  },
  {
    displayName: 'Type',
    name: 'type',
    type: 'string',
    displayOptions: { show: { resource: ['flowEvent'], operation: ['publish'] } },
    default: '',
    placeholder: 'order.paid',
    required: true,
    description: 'The type of the event',
  },
  {
    displayName: 'Data',
    name: 'data',
    type: 'json',
    displayOptions: { show: { resource: ['flowEvent'], operation: ['publish'] } },
    default: '={{ $json }}',
    required: true,
    description: 'The content of the event',
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    displayOptions: { show: { resource: ['flowEvent'], operation: ['publish'] } },
    default: {},
    options: [
      {
        displayName: 'Event ID',
        name: 'id',
        type: 'string',
        default: '',
        description:
          'Publishing again with the same ID has no effect. Without it, each run of the node publishes a new event, and a retry of the node the same one.',
      },
      {
        displayName: 'Flow ID',
        name: 'flowId',
        type: 'string',
        default: '',
        description: 'The flow that the event belongs to. Without it the event is a new flow.',
      },
      {
        displayName: 'Occurred At',
        name: 'occurredAt',
        type: 'dateTime',
        default: '',
        description: 'When it happened, if not now',
      },
    ],
  },
  {
    displayName: 'Event ID',
    name: 'eventId',
    type: 'string',
    displayOptions: { show: { resource: ['flowEvent'], operation: ['explain'] } },
    default: '',
    required: true,
    description: 'The ID with which the event was published',
  },
  ...pages('flowEvent'),
  {
    displayName: 'Listener',
    name: 'listener',
    type: 'collection',
    placeholder: 'Add Field',
    displayOptions: { show: { resource: ['flowEvent'], operation: ['explain'] } },
    default: {},
    description: 'Only the deliveries to one listener',
    options: [
      { displayName: 'Hook URL', name: 'hookUrl', type: 'string', default: '' },
      { displayName: 'Listener ID', name: 'listenerId', type: 'string', default: '' },
    ],
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    displayOptions: { show: { resource: ['flowEvent'], operation: ['getAll'] } },
    default: {},
    options: [from, to, type],
  },
];

const deliveries: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['delivery'] } },
    options: [
      {
        name: 'Get',
        value: 'get',
        action: 'Get a delivery',
        description: 'Show a delivery with its attempts',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many deliveries',
        description: 'List deliveries, those of the latest flow events first',
      },
    ],
    default: 'getAll',
  },
  {
    displayName: 'Delivery ID',
    name: 'deliveryId',
    type: 'string',
    displayOptions: { show: { resource: ['delivery'], operation: ['get'] } },
    default: '',
    required: true,
  },
  ...pages('delivery'),
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    displayOptions: { show: { resource: ['delivery'], operation: ['getAll'] } },
    default: {},
    options: [
      { displayName: 'Event ID', name: 'eventId', type: 'string', default: '' },
      from,
      { displayName: 'Listener ID', name: 'listenerId', type: 'string', default: '' },
      {
        displayName: 'State',
        name: 'state',
        type: 'options',
        options: [
          { name: 'Cancelled', value: 'cancelled' },
          { name: 'Dead Letter', value: 'exhausted' },
          { name: 'Held', value: 'held' },
          { name: 'Succeeded', value: 'succeeded' },
          { name: 'Waiting', value: 'waiting' },
        ],
        default: 'waiting',
      },
      to,
      type,
    ],
  },
];

export const properties: INodeProperties[] = [resources, ...flowEvents, ...deliveries];
