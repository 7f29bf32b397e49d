import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { startReceiver } from '../../receivers-of-listeners/receiver.js';
import { administratorOf } from '../../service/administrator.js';
import { publish, refresh, signIn, subscribe, type Tokens, unsubscribe } from '../../service/journey.js';
import { startService } from '../../service/service.js';
import { until } from '../../until.js';
import {
  archive,
  descriptionPath,
  type RecordedData,
  type RecordedListener,
  receiverPort,
  withoutRetention,
} from '../recorded-data.js';

// `npm run record:data`, once for a release with another first digit: makes the data directory that later releases have to open.

const receiver = await startReceiver(receiverPort);
// The delivery that waits is due when a test opens the directory, and not before the service has stopped here.
const service = await startService({ environment: { ...withoutRetention, RETRY_SCHEDULE: '20s,5m' } });
const admin = administratorOf(() => service);

async function registered(path: string, options: Parameters<typeof subscribe>[2] = {}): Promise<RecordedListener> {
  const { listenerId, signingSecret } = await subscribe(service, `${receiver.origin}${path}`, options);
  return { orgId: options.orgId ?? 'acme', path, listenerId, signingSecret };
}

async function succeeded({ status, body }: Awaited<ReturnType<typeof admin.post>>): Promise<object> {
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body as object;
}

const { refresh_token } = await signIn(service);
const { body: tokens } = await refresh(service, refresh_token);
await succeeded(await admin.post('/event-types', { name: 'flow.completed', description: 'A flow has run' }));
const key = await succeeded(
  await admin.post('/api-keys', { name: 'erp', orgId: 'acme', scopes: ['flows:publish', 'listeners:read'] }),
);
const listeners = {
  active: await registered('/active'),
  selective: await registered('/selective', {
    filter: { 'data.total': { $gt: 40 } },
    transform: '{"sum": data.total}',
    ordered: true,
    description: 'Large orders',
  }),
  paused: await registered('/paused'),
  removed: await registered('/removed'),
  other: await registered('/other', { orgId: 'globex', userId: 'gus' }),
};
const delivered = await publish(service, { id: 'delivered', type: 'flow.completed', data: { total: 42 } });
await receiver.has(4);
await unsubscribe(service, `${receiver.origin}/removed`);
await succeeded(await admin.post(`/listeners/${listeners.paused.listenerId}/pause`));
receiver.answer(500);
const waiting = await publish(service, { id: 'waiting', type: 'flow.completed', data: { total: 1 } });
const attempted = (await receiver.has(5)).at(-1)?.headers['webhook-id'];
await until(async () => {
  const { body } = await admin.get('/deliveries?orgId=acme&state=waiting');
  return (body as { items: readonly { attempts: number }[] }).items.some(({ attempts }) => attempts === 1);
}, 'the failed attempt to be recorded');
const { code } = await service.stop();
if (code !== 0) throw new Error(service.printed());
await receiver.close();

execFileSync('tar', ['-czf', archive, '--exclude', 'service.*', '-C', service.dataDirectory, '.']);
const description: RecordedData = {
  release: /Flow Hooks (\S+)/.exec(service.printed())?.[1] ?? '',
  listeners,
  events: { delivered, waiting, waitingWebhookId: String(attempted) },
  refreshToken: (tokens as Tokens).refresh_token,
  apiKey: (key as { key: string }).key,
};
writeFileSync(descriptionPath, `${JSON.stringify(description, null, 2)}\n`);
console.log(`recorded ${archive}`);
process.exit();
