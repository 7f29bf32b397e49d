import { type KeyObject, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { readMasterKeys } from '../../../src/access/keys/master-keys.js';
import { signature } from '../../../src/deliveries/worker/signed-headers.js';
import { privateKeyOf, signingPrivateKey } from '../../../src/listeners/signing-secret.js';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { type ReceiverProgram, receiverPrograms } from '../../support/receivers/receiver-programs.js';
import { type RunningReceiver, startReceiverProgram } from '../../support/receivers/start-receiver-program.js';
import { needs } from '../../support/run/programs.js';
import { administratorOf } from '../../support/service/administrator.js';
import { publish, type Subscription, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

type Delivery = { id: string; eventId: string; state: string; attempts: number };

/** Receivers close the connection of a request that is too large. */
const ownConnection = { connection: 'close' };

const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** A request as the service signs it, apart from the time. */
function signed(secret: string, { body = '{"id":"made"}', id = 'made', timestamp = nowSeconds() } = {}) {
  const signature = new Webhook(secret).sign(id, new Date(timestamp * 1_000), body);
  return {
    body,
    headers: { 'webhook-id': id, 'webhook-timestamp': `${timestamp}`, 'webhook-signature': signature },
  };
}

describe('docs/receive.md', () => {
  const pinned = (file: string) => readFileSync(resolve('test/support/receivers', file), 'utf8');

  it('names the versions of the libraries with which its receivers are tested', () => {
    const page = readFileSync(resolve('docs/receive.md'), 'utf8');
    const goVersion = /libraries (v\S+)/.exec(pinned('go/go.mod'))?.[1];
    const javaVersion = /<artifactId>standardwebhooks<\/artifactId>\s*<version>([^<]+)/.exec(pinned('pom.xml'))?.[1];
    expect(page).to.include(`standard-webhooks/libraries@${goVersion}`);
    expect(page).to.include(`com.standardwebhooks:standardwebhooks:${javaVersion}`);
  });
});

const frameworks = { js: 'Express', python: 'FastAPI', go: 'net/http', java: 'Spring' } as const;

const prepared: (readonly [language: keyof typeof frameworks, program: ReceiverProgram])[] = [];
for (const language of ['js', 'python', 'go', 'java'] as const)
  if (language === 'js' || needs(language)) prepared.push([language, receiverPrograms[language]()]);

describe('the receivers of docs/receive.md', () => {
  let service: ServiceProcess;
  before(async () => {
    service = await startService({ environment: { RETRY_SCHEDULE: '200ms,200ms,200ms' } });
  });
  after(() => service.stop());

  for (const [language, program] of prepared) describeReceiver(language, program, () => service);
});

/** Each language has its own organisation at the service, with one listener. */
function describeReceiver(
  language: keyof typeof frameworks,
  program: ReceiverProgram,
  serviceOf: () => ServiceProcess,
): void {
  describe(`the receiver in ${frameworks[language]}`, function () {
    this.timeout(120_000);
    const orgId = `org-${language}`;
    let service: ServiceProcess;
    let listener: Subscription;
    let receiver: RunningReceiver;
    let hookUrl: string;
    let start: (key: string) => Promise<RunningReceiver>;

    before(async () => {
      service = serviceOf();
      const port = await reusablePort();
      const directory = temporaryDirectory();
      hookUrl = `http://127.0.0.1:${port}/hook`;
      listener = await subscribe(service, hookUrl, { orgId, subscriptionType: '*', signedWithKeyPair: true });
      start = (key) => startReceiverProgram(program, { port, key, directory });
      receiver = await start(listener.signingSecret);
    });
    after(() => receiver?.stop());

    const { get, post } = administratorOf(() => service);
    const publicKeys = async () => {
      const answer = await fetch(`${service.origin}/api/hooks/listeners/${listener.listenerId}/public-keys`);
      const { keys } = (await answer.json()) as { keys: readonly { publicKey: string }[] };
      return keys.map(({ publicKey }) => publicKey);
    };
    const send = async (request: { body: string; headers?: Record<string, string> }) =>
      (await fetch(hookUrl, { method: 'POST', ...request, headers: { ...request.headers, ...ownConnection } })).status;
    const deliveries = async (): Promise<readonly Delivery[]> =>
      ((await get(`/deliveries?orgId=${orgId}`)).body as { items: readonly Delivery[] }).items;
    const delivered = (eventId: string, attempts = 1) =>
      until(
        async () =>
          (await deliveries()).some(
            (each) => each.eventId === eventId && each.state === 'succeeded' && each.attempts === attempts,
          ),
        `${eventId} to be delivered in ${attempts} attempts`,
      );

    it('accepts deliveries, and stores a repeat once', async () => {
      const data = { total: 42, text: 'Zürich → 東京 🚆', nested: [{ empty: null }] };
      const [first, second] = ['order-1-paid', 'order-2-paid'];
      for (const id of [first, second]) await publish(service, { orgId, id, type: 'order.paid', data });
      await delivered(first);
      await delivered(second);
      const { id } = (await deliveries()).find(({ eventId }) => eventId === first) as Delivery;
      expect((await post(`/deliveries/${id}/redeliver`, { orgId })).status).to.equal(200);
      await delivered(first, 2);

      const bodies = [...receiver.inbox().values()].map((body) => JSON.parse(body) as { id: string; data: object });
      expect(bodies.map((body) => body.id)).to.have.members([first, second]);
      expect(bodies.map((body) => body.data)).to.deep.equal([data, data]);
    });

    it('answers 401 to forged requests and to old timestamps, refuses what is too large, and stores none of it', async () => {
      const { signingSecret: secret } = listener;
      const before = [...receiver.inbox().keys()];
      const valid = signed(secret);
      const withHeader = (name: string, value: string) => ({ ...valid, headers: { ...valid.headers, [name]: value } });
      const { 'webhook-signature': signature, ...unsigned } = valid.headers;
      const forged = {
        'another secret': signed(`whsec_${btoa('another secret of the right kind')}`),
        'another body': { ...valid, body: '{"id":"other"}' },
        'another id': withHeader('webhook-id', 'other'),
        'another time': withHeader('webhook-timestamp', `${nowSeconds() - 1}`),
        'a time that is none': withHeader('webhook-timestamp', 'now'),
        'no headers': { body: valid.body },
        'no signature': { ...valid, headers: unsigned },
        'a signature of another version': withHeader('webhook-signature', signature.replace('v1,', 'v2,')),
        'signatures that are none': withHeader('webhook-signature', 'v1,x v1 , v1,%%%'),
        'six minutes ago': signed(secret, { timestamp: nowSeconds() - 360 }),
        'in six minutes': signed(secret, { timestamp: nowSeconds() + 360 }),
      };
      for (const [how, request] of Object.entries(forged)) expect(await send(request), how).to.equal(401);
      const tooLarge = await send(signed(secret, { body: JSON.stringify('x'.repeat(2_097_152)) })).catch(
        () => 'closed',
      );
      expect(tooLarge).to.be.oneOf([413, 'closed']); // a receiver may close the connection before the body is sent
      expect((await fetch(hookUrl, { headers: ownConnection })).status).to.be.oneOf([404, 405]);
      expect([...receiver.inbox().keys()]).to.have.members(before);

      expect(await send(withHeader('webhook-signature', `v1,AAAA ${signature}`)), 'one of several').to.equal(200);
      expect(await send(signed(secret, { id: 'late', timestamp: nowSeconds() - 240 })), 'within five minutes').to.equal(
        200,
      );
      expect([...receiver.inbox().keys()]).to.have.members([...before, 'made', 'late']);
    });

    it('accepts deliveries with the old secret, and with the new public key instead, while both are valid', async () => {
      const { listenerId, signingSecret: secret } = listener;
      const { body } = await post(`/listeners/${listenerId}/rotate-secret`, { overlapHours: 1 });
      const { signingPublicKey } = body as { signingPublicKey: string };
      expect(await publicKeys()).to.deep.equal([signingPublicKey, listener.signingPublicKey]);
      await publish(service, { orgId, id: 'to-the-old-one', type: 'order.paid', data: {} });
      await delivered('to-the-old-one');
      await receiver.stop();

      receiver = await start(signingPublicKey);
      await publish(service, { orgId, id: 'to-the-new-one', type: 'order.paid', data: {} });
      await delivered('to-the-new-one');
      const stored = receiver.inbox().size;
      const keys = await readMasterKeys(join(service.dataDirectory, 'master-keys.txt'));
      const privateKey = signingPrivateKey(keys, listenerId, { keyGeneration: keys.current, version: 2 });
      const signedWith = (key: KeyObject, { timestamp = nowSeconds(), body = '{}' } = {}) => {
        const sent = signature(key, { id: 'by-key', timestamp, body });
        return { body: '{}', headers: { ...signed(secret, { id: 'by-key', timestamp }).headers, ...signatures(sent) } };
      };
      const signatures = (sent: string) => ({ 'webhook-signature': `v1,AAAA v1a,AAAA ${sent}` });
      const forged = {
        'the secret alone': signed(secret),
        'another key': signedWith(privateKeyOf(randomBytes(32))),
        'another body': signedWith(privateKey, { body: '{ }' }),
        'six minutes ago': signedWith(privateKey, { timestamp: nowSeconds() - 360 }),
        'no headers': { body: '{}' },
      };
      for (const [how, request] of Object.entries(forged)) expect(await send(request), how).to.equal(401);
      expect(receiver.inbox().size).to.equal(stored);
      expect(await send(signedWith(privateKey)), 'one of several').to.equal(200);
      expect((await post(`/listeners/${listenerId}/rotate-secret`, { overlapHours: 0 })).status).to.equal(200);
      await publish(service, { orgId, id: 'after-the-overlap', type: 'order.paid', data: {} });
      const isRefused = ({ eventId, state }: Delivery) => eventId === 'after-the-overlap' && state === 'exhausted';
      await until(async () => (await deliveries()).some(isRefused), 'a revoked secret to accept nothing');
      expect(receiver.inbox().size).to.equal(stored + 1);
      expect(await publicKeys())
        .to.have.length(1)
        .and.not.include(signingPublicKey);
    });

    it('does not start without a secret', async () => {
      const failure = startReceiverProgram(program, { port: await reusablePort(), key: '' });
      expect(
        await failure.then(
          () => 'started',
          () => 'ended',
        ),
      ).to.equal('ended');
    });
  });
}
