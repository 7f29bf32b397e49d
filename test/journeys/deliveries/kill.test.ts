import { expect } from 'chai';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { probe, publish, refresh, signIn, subscribe, type Tokens } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { organisation } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

/** Undefined for a request whose connection was lost. */
function noAnswer(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error; // an answer, of another kind than expected
}

/** Deliveries that a listener is sent at the same time: a quarter of `DELIVERY_CONCURRENCY`. */
const sentAtOnce = 64;

describe('a service that is killed', () => {
  let service: ServiceProcess;
  let receiver: Receiver;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  const startAgain = async () => {
    service = await startService({ dataDirectory: service.dataDirectory });
  };
  const killAndStartAgain = async () => {
    await service.stop('SIGKILL');
    await startAgain();
  };

  /** Each event by its id, and that all deliveries of one event carry the same webhook-id. */
  const deliveredIds = (): Set<string> => {
    const webhookIds = new Map<string, string | undefined>();
    for (const { body, headers } of receiver.received) {
      const { id } = JSON.parse(body) as { id: string };
      const webhookId = headers['webhook-id'] as string;
      expect(webhookIds.get(id) ?? webhookId, 'a duplicate carries the same webhook-id').to.equal(webhookId);
      webhookIds.set(id, webhookId);
    }
    return new Set(webhookIds.keys());
  };

  const allDelivered = (ids: readonly string[]) =>
    until(() => ids.every((id) => deliveredIds().has(id)), `${ids.length} events at the listener`);

  it('delivers accepted events after it was killed between publish and delivery', async () => {
    const orgId = organisation();
    await subscribe(service, `${receiver.origin}/hook`, { orgId });
    receiver.answer('nothing');
    const id = await publish(service, { orgId, type: 'flow.completed', data: { n: 1 } });
    await receiver.has(1); // under way, not answered
    receiver.answer(200);
    await killAndStartAgain();
    await until(() => receiver.received.length >= 2, 'the delivery to be repeated', { limitMs: 90_000 });
    await allDelivered([id]);
  });

  it('delivers everything it had accepted, killed again and again during fan-out', async () => {
    const orgId = organisation();
    await subscribe(service, `${receiver.origin}/hook`, { orgId });
    const accepted: string[] = [];
    const outstanding = () => {
      const delivered = deliveredIds();
      return accepted.filter((id) => !delivered.has(id));
    };
    for (let round = 0; round < 2; round += 1) {
      const target = service;
      let killed = false;
      const publishing = Array.from({ length: 8 }, async () => {
        while (!killed) {
          const event = { orgId, type: 'flow.completed', data: { round } };
          const id = await publish(target, event).catch(noAnswer);
          if (id !== undefined) accepted.push(id);
        }
      });
      await until(() => accepted.length >= (round + 1) * 100, 'some events to be accepted');
      receiver.answer('nothing');
      await receiver.has(receiver.received.length + sentAtOnce);
      await until(() => outstanding().length > 0, 'an event that waits');
      killed = true;
      await service.stop('SIGKILL');
      expect(outstanding(), 'accepted, and not sent when it was killed').to.not.be.empty;
      receiver.answer(200);
      await startAgain();
      await Promise.all(publishing);
    }
    await allDelivered(accepted);
  });

  it('keeps every token good that it had answered, killed during rotations', async () => {
    const held: Tokens[] = await Promise.all(
      Array.from({ length: 8 }, (_, index) => signIn(service, { userId: `user-${index}` })),
    );
    for (let round = 0; round < 2; round += 1) {
      const target = service;
      let killed = false;
      let rotations = 0;
      const rotating = held.map(async (_, index) => {
        while (!killed) {
          const before = held[index] as Tokens;
          const answer = await refresh(target, before.refresh_token).catch(noAnswer);
          if (answer === undefined) continue; // the answer was lost: the token held is the predecessor of the current one
          expect(answer.status).to.equal(200);
          held[index] = answer.body as Tokens;
          rotations += 1;
        }
      });
      await until(() => rotations >= 40, 'some rotations');
      killed = true;
      await killAndStartAgain();
      await Promise.all(rotating);
      for (const [index, tokens] of held.entries()) {
        expect((await probe(service, tokens.access_token)).status).to.equal(200);
        const { status, body } = await refresh(service, tokens.refresh_token);
        expect(status, JSON.stringify(body)).to.equal(200);
        held[index] = body as Tokens;
      }
    }
  });
});
