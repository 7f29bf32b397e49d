import { expect } from 'chai';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { collect, collectUntil, idsOf } from '../../contract/event-store/support.js';
import { type RunningProcess, startModule } from '../../support/process.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const appender = new URL('appender.js', import.meta.url);

const linesOf = ({ stdout }: RunningProcess): readonly string[] => stdout().split('\n').slice(0, -1);

describe('the SQLite event store among processes', () => {
  it('has every acknowledged event after kill -9, without gaps', async function () {
    this.timeout(120_000);
    const directory = temporaryDirectory();
    for (let round = 0; round < 3; round += 1) {
      const stream = `killed-${round}`;
      const program = startModule(appender, directory, stream, '1000000');
      await program.prints(/(.*\n){300}/); // acknowledged appends
      await program.stop('SIGKILL');
      await program.ended;

      const store = openSqliteEventStore({ directory });
      const recorded = await collect(store.readStream(stream));
      await store.close();
      expect(linesOf(program).filter((id) => !idsOf(recorded).includes(id))).to.deep.equal([]);
      expect(recorded.every(({ revision }, index) => revision === BigInt(index))).to.equal(true);
    }
  });

  it('lets processes append side by side while another one follows', async function () {
    this.timeout(120_000);
    const directory = temporaryDirectory();
    const store = openSqliteEventStore({ directory });
    const following = collectUntil(store.subscribe(), (seen) => seen.length === 1500);
    const programs = ['shared-1', 'shared-1', 'shared-2'].map((stream) =>
      startModule(appender, directory, stream, '500'),
    );
    const exits = await Promise.all(programs.map(({ ended }) => ended));
    expect(exits.map(({ code }) => code)).to.deep.equal([0, 0, 0]);

    const events = await following;
    expect(idsOf(events)).to.have.members(programs.flatMap(linesOf));
    expect(idsOf(events)).to.deep.equal(idsOf(await collect(store.readAll())));
    await store.close();
  });
});
