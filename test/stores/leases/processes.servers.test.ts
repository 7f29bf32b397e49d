import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { until } from '../../support/until.js';

/** Message of an instance: it acts under a term, or no longer does. */
export type Told = { act: string } | { ended: string };

const program = fileURLToPath(new URL('./holding-process.js', import.meta.url));

onMongoDb('leases of processes', ({ server, database }) => {
  describe('leases of processes', () => {
    let children: ChildProcess[];
    let lease: string;

    beforeEach(() => {
      children = [];
      lease = `lease-${crypto.randomUUID()}`;
    });
    afterEach(async () => {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    });

    function instance() {
      const { databaseName } = database('leases').db;
      const child = fork(program, [server.url, databaseName, lease]);
      children.push(child);
      const acts: bigint[] = [];
      const ended: bigint[] = [];
      child.on('message', (told: Told) => {
        if ('act' in told) acts.push(BigInt(told.act));
        else ended.push(BigInt(told.ended));
      });
      return { child, acts, ended, acted: () => acts.length > 0 };
    }
    type Instance = ReturnType<typeof instance>;

    async function holderOf(instances: readonly Instance[]): Promise<[Instance, Instance]> {
      await until(() => instances.some(({ acted }) => acted()), 'a holder');
      const [holder, other] = instances.toSorted((a, b) => b.acts.length - a.acts.length);
      if (!holder || !other) throw new Error('there are two');
      return [holder, other];
    }

    it('go to another within seconds of a kill -9', async () => {
      const [holder, other] = await holderOf([instance(), instance()]);
      holder.child.kill('SIGKILL');
      await until(other.acted, 'the other to hold it');
      expect((other.acts[0] ?? 0n) > (holder.acts[0] ?? 0n)).to.equal(true);
    });

    it('are not acted under by a holder that was paused past its own, which finds its term over', async () => {
      const [paused, other] = await holderOf([instance(), instance()]);
      const term = paused.acts[0] ?? 0n;
      paused.child.kill('SIGSTOP');
      await until(other.acted, 'the other to hold it');
      const before = paused.acts.length;
      paused.child.kill('SIGCONT');
      await until(() => paused.ended.length > 0, 'the paused one to notice');

      expect(paused.ended).to.deep.equal([term]);
      expect(paused.acts.length - before).to.be.at.most(1); // it may have been paused right after it asked
      expect((other.acts[0] ?? 0n) > term).to.equal(true);
    });
  });
});
