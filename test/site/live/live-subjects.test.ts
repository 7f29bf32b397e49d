import { mock } from 'node:test';
import { expect } from 'chai';
import { NEVER, Subject } from 'rxjs';
import { NotFound } from '../../../src/http/errors.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { type LiveUpdate, liveSubjects, type PartTexts } from '../../../src/site/live/live-subjects.js';

const noFailures = { record: () => 0, recovered: () => undefined };

/** Lets promises settle, which fake timers do not wait for. */
const settled = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

const pass = async (ms: number) => {
  for (let passed = 0; passed < ms; passed += 100) {
    mock.timers.tick(100);
    await settled();
  }
};

/** A source that counts its readings, and answers with their number. */
function counting(changes: { everyMs?: number; wake$?: Subject<void>; read?: () => Promise<PartTexts> } = {}) {
  const source = {
    readings: 0,
    everyMs: 10_000,
    wake$: NEVER,
    async read(): Promise<PartTexts> {
      source.readings += 1;
      return { figures: `<b>${source.readings}</b>` };
    },
    ...changes,
  };
  return source;
}

describe('live subjects', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] }));
  afterEach(() => mock.timers.reset());

  it('read once for all viewers of a subject, and give a later viewer the latest update at once', async () => {
    const subjects = liveSubjects(noFailures);
    const source = counting();
    const first: LiveUpdate[] = [];
    const second: LiveUpdate[] = [];
    subjects.watch('overview', source).subscribe((update) => first.push(update));
    await settled();
    subjects.watch('overview', source).subscribe((update) => second.push(update));
    await settled();
    expect(source.readings).to.equal(1);
    expect(second).to.deep.equal([{ parts: { figures: '<b>1</b>' }, isStale: false }]);
    await pass(10_000);
    expect(source.readings).to.equal(2);
    expect(first).to.deep.equal(second);
    subjects.close();
  });

  it('pause after a costly reading for nine times as long', async () => {
    const subjects = liveSubjects(noFailures);
    const times = [0, 400, 400, 400, 400];
    const now = mock.method(performance, 'now', () => times.shift() ?? 400);
    const source = counting({ everyMs: 1_000 });
    subjects.watch('event', source).subscribe();
    await pass(3_500);
    expect(source.readings).to.equal(1);
    await pass(1_000);
    expect(source.readings).to.be.within(2, 3);
    now.mock.restore();
    subjects.close();
  });

  it('read different subjects apart', async () => {
    const subjects = liveSubjects(noFailures);
    const [one, other] = [counting(), counting()];
    subjects.watch('listeners of acme', one).subscribe();
    subjects.watch('listeners of globex', other).subscribe();
    await settled();
    expect([one.readings, other.readings]).to.deep.equal([1, 1]);
    subjects.close();
  });

  it('read at a wake-up, at most once a second, and once more for those that came meanwhile', async () => {
    const subjects = liveSubjects(noFailures);
    const wake$ = new Subject<void>();
    const source = counting({ wake$, everyMs: 60_000 });
    subjects.watch('listener', source).subscribe();
    await settled();
    for (let wakes = 0; wakes < 50; wakes += 1) {
      wake$.next();
      await pass(100);
    }
    await pass(2_000);
    expect(source.readings).to.be.within(6, 7);
    const readings = source.readings;
    await pass(5_000);
    expect(source.readings, 'without a wake-up').to.equal(readings);
    subjects.close();
  });

  it('do not read again while a reading takes long, and then once for all wake-ups', async () => {
    const subjects = liveSubjects(noFailures);
    const wake$ = new Subject<void>();
    const answers: (() => void)[] = [];
    const source = counting({
      wake$,
      everyMs: 60_000,
      read: () => new Promise((resolve) => answers.push(() => resolve({}))),
    });
    subjects.watch('slow', source).subscribe();
    for (let wakes = 0; wakes < 5; wakes += 1) {
      wake$.next();
      await pass(1_500);
    }
    expect(answers).to.have.length(1);
    answers[0]?.();
    await pass(1_500);
    expect(answers).to.have.length(2);
    answers[1]?.();
    await pass(5_000);
    expect(answers).to.have.length(2);
    subjects.close();
  });

  it('stop reading with the last viewer, and begin again with the next', async () => {
    const subjects = liveSubjects(noFailures);
    const wake$ = new Subject<void>();
    const source = counting({ wake$, everyMs: 10_000 });
    const viewers = [1, 2].map(() => subjects.watch('overview', source).subscribe());
    await settled();
    viewers[0]?.unsubscribe();
    await pass(10_000);
    expect(source.readings).to.equal(2);
    viewers[1]?.unsubscribe();
    expect(wake$.observed).to.equal(false);
    await pass(60_000);
    expect(source.readings).to.equal(2);
    const later: LiveUpdate[] = [];
    subjects.watch('overview', source).subscribe((update) => later.push(update));
    await settled();
    expect(later).to.deep.equal([{ parts: { figures: '<b>3</b>' }, isStale: false }]);
    subjects.close();
  });

  it('keep the parts as stale while readings fail, and read on', async () => {
    const recorded: unknown[] = [];
    let recoveries = 0;
    const failures = {
      record(error: unknown) {
        recorded.push(error);
        return 0;
      },
      recovered() {
        recoveries += 1;
      },
    };
    const subjects = liveSubjects(failures);
    let fails = false;
    const read = async () => {
      if (fails) throw new Error('the store is down');
      return { state: 'read' };
    };
    const updates: LiveUpdate[] = [];
    subjects.watch('views', counting({ read, everyMs: 2_000 })).subscribe((update) => updates.push(update));
    await settled();
    fails = true;
    await pass(2_000);
    fails = false;
    await pass(2_000);
    expect(updates.map(({ parts, isStale }) => [parts.state, isStale])).to.deep.equal([
      ['read', false],
      ['read', true],
      ['read', false],
    ]);
    expect(recorded).to.have.length(1);
    expect(recoveries).to.equal(2);
    subjects.close();
  });

  it('note no failure of the service where a reading is refused, such as of a listener that does not exist', async () => {
    const noted: unknown[] = [];
    const subjects = liveSubjects({ ...noFailures, record: (error) => noted.push(error) });
    const refusals = [new NotFound('no listener has this ID'), new InvalidRequest('from must be a time')];
    const updates: LiveUpdate[] = [];
    for (const refusal of refusals) {
      const source = counting({ read: () => Promise.reject(refusal) });
      subjects.watch(refusal.message, source).subscribe((update) => updates.push(update));
    }
    await settled();
    expect(updates.map(({ isStale }) => isStale)).to.deep.equal([true, true]);
    expect(noted).to.deep.equal([]);
    subjects.close();
  });

  it('end when they are closed, also for later viewers, without a timer left', async () => {
    const subjects = liveSubjects(noFailures);
    const source = counting();
    let ended = 0;
    const complete = () => {
      ended += 1;
    };
    subjects.watch('overview', source).subscribe({ complete });
    await settled();
    subjects.close();
    subjects.watch('overview', source).subscribe({ complete });
    expect(ended).to.equal(2);
    await pass(60_000);
    expect(source.readings).to.equal(1);
  });
});
