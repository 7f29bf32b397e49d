import type { Administrator } from '../../service/administrator.js';
import type { ExampleData } from './example-data.js';

export type PageToShow = {
  /** Of the file, without the colour scheme. */
  readonly name: string;
  readonly path: string;
  readonly width?: number;
  readonly height?: number;
};

const phone = { width: 390, height: 844 };

/** Every page, in the order of the navigation. */
export async function pages(data: ExampleData, administrator: Administrator): Promise<readonly PageToShow[]> {
  const { hook, delivery } = await objectsOf(data, administrator);
  return [
    { name: 'overview', path: '/console', height: 1_150 },
    { name: 'overview-phone', path: '/console', ...phone },
    { name: 'hooks', path: '/console/hooks' },
    { name: 'hook', path: hook, height: 1_600 },
    { name: 'hook-phone', path: hook, ...phone },
    { name: 'hook-unsubscribe', path: `${hook}/unsubscribe` },
    { name: 'replay', path: `/console/replays/${data.replayId}` },
    { name: 'deliveries', path: '/console/deliveries?orgId=acme' },
    { name: 'delivery', path: delivery, height: 1_100 },
    { name: 'flow-events', path: '/console/flow-events?orgId=acme' },
    { name: 'flow-event', path: `/console/flow-events/show?orgId=acme&id=${data.eventId}`, height: 1_000 },
    { name: 'publish', path: '/console/flow-events/publish?orgId=acme' },
    { name: 'organisations', path: '/console/organisations' },
    { name: 'organisation', path: '/console/organisations/show?orgId=acme' },
    { name: 'tasks', path: '/console/tasks' },
    { name: 'sessions', path: '/console/sessions' },
    { name: 'audit', path: '/console/audit?orgId=acme' },
    { name: 'views', path: '/console/views' },
    { name: 'clients', path: '/console/clients' },
    { name: 'api-keys', path: '/console/api-keys' },
    { name: 'keys', path: '/console/keys' },
    { name: 'health', path: '/console/health' },
    { name: 'docs', path: '/docs' },
  ];
}

async function objectsOf({ listenerId, failingListenerId }: ExampleData, { get }: Administrator) {
  const { body } = await get(`/deliveries?orgId=acme&limit=1&listenerId=${failingListenerId}`);
  const [first] = (body as { readonly items: readonly { readonly id: string }[] }).items; // the answer of the route
  return {
    hook: `/console/hooks/${listenerId}`,
    delivery: `/console/deliveries/${first?.id}?orgId=acme`,
  };
}
