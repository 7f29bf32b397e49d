import { expect } from 'chai';
import { startReceiver, verify } from '../receivers-of-listeners/receiver.js';
import { publish, subscribe } from '../service/journey.js';
import type { ReachableService } from '../service/service.js';
import { until } from '../until.js';

/** Runs a command of the artefact's command line beside its service. Resolves to its output; rejects if it fails. */
export type RunCommand = (...args: readonly string[]) => Promise<string>;

/** Uses a service in development mode as its users do, so that a package or a file that the artefact lacks is noticed. */
export async function walkArtefact(service: ReachableService, flowHooks: RunCommand): Promise<void> {
  await walkToDelivery(service, flowHooks);
  for (const page of ['/console', '/docs']) await openPage(service, page);
  for (const document of ['/llms.txt', '/docs/agents.md'])
    expect((await service.fetch(document)).status, document).to.equal(200);
  const { status, body } = await service.fetch('/openapi.json');
  expect(status).to.equal(200);
  expect(body).to.include.keys('openapi', 'paths');
}

/** The schema, the filter and the transformation each need a package of their own. */
async function walkToDelivery(service: ReachableService, flowHooks: RunCommand): Promise<void> {
  const schema = '{"type": "object", "required": ["total"]}';
  await flowHooks('types', 'add', 'order.paid', '--description', 'An order was paid', '--schema', schema);
  const receiver = await startReceiver();
  try {
    const { signingSecret } = await subscribe(service, `${receiver.origin}/hook`, {
      subscriptionType: 'order.paid',
      filter: { 'data.total': { $gt: 40 } },
      transform: '{"id": id, "total": data.total}',
    });
    const id = await publish(service, { type: 'order.paid', data: { total: 42 } });
    const [received] = await receiver.has(1);
    expect(received && verify(received, signingSecret)).to.deep.equal({ id, total: 42 });
    const list = () => flowHooks('--json', 'deliveries', 'list', '--org', 'acme');
    await until(async () => /"state":"succeeded"/.test(await list()), 'the recorded delivery', { everyMs: 500 });
  } finally {
    await receiver.close();
  }
}

async function openPage(service: ReachableService, path: string): Promise<void> {
  const { status, body } = await service.fetch(path, { redirect: 'follow' });
  expect(status, path).to.equal(200);
  const files = [...String(body).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
  expect(files, `files of ${path}`).to.have.length.above(2);
  for (const file of files) expect((await service.fetch(file)).status, file).to.equal(200);
}
