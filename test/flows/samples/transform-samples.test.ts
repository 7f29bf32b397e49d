import { expect } from 'chai';
import { payloadOf } from '../../../src/flows/flow-event.js';
import { samplePayload } from '../../../src/flows/samples/static-samples.js';
import {
  type TransformedSample,
  type TransformSample,
  transformSamplesWith,
} from '../../../src/flows/samples/transform-samples.js';
import { TooManyRequests } from '../../../src/http/errors.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { rejection } from '../../support/rejection.js';

const samples = ['a', 'b', 'c', 'd'].map((type) => payloadOf(samplePayload(type)));
const idOf = (event: string) => (JSON.parse(event) as { id: string }).id;

const done = (body: unknown): TransformedSample => ({ kind: 'done', body: JSON.stringify(body) });
const overTime: TransformedSample = { kind: 'failed', reason: 'it takes longer than 1000 ms', isOverTime: true };

/** Transforms the samples; `answers`: what becomes of each in turn, the last one for all others too. */
async function transformed(answers: readonly TransformedSample[], maxBytes = 1_000) {
  const evaluated: string[] = [];
  const transform: TransformSample = async ({ body }) => {
    evaluated.push(idOf(body));
    return answers[evaluated.length - 1] ?? answers.at(-1) ?? { kind: 'busy' };
  };
  const request = { orgId: 'acme', expression: 'id', samples, maxBytes };
  const made = await transformSamplesWith(transform)(request).catch((error: Error) => error);
  return { made, evaluated: evaluated.length };
}

describe('transforming samples', () => {
  it('ends with the first evaluation that exceeds a limit, and answers those before it', async () => {
    expect(await transformed([done(1), overTime, done(3)])).to.deep.equal({ made: [1], evaluated: 2 });
  });

  it('is refused with the reason if the first evaluation exceeds a limit: only one is made', async () => {
    const { made, evaluated } = await transformed([overTime]);
    expect(made).to.be.instanceOf(InvalidRequest);
    expect(String(made)).to.match(
      /transform: it fails for the samples, such as sample-a: it takes longer than 1000 ms/,
    );
    expect(evaluated).to.equal(1);
  });

  it('continues after a sample for which the expression fails, and reports the first reason if all fail', async () => {
    const failed = (reason: string): TransformedSample => ({ kind: 'failed', reason });
    expect(await transformed([failed('x'), done(2), failed('y')])).to.deep.equal({ made: [2], evaluated: 4 });
    const { made, evaluated } = await transformed([failed('x'), failed('y')]);
    expect([String(made), evaluated]).to.deep.equal([
      'InvalidRequest: transform: it fails for the samples, such as sample-a: x',
      4,
    ]);
  });

  it('asks to try again if no evaluation is possible now, unless there is a sample', async () => {
    expect((await transformed([{ kind: 'busy' }])).made).to.be.instanceOf(TooManyRequests);
    expect((await transformed([done(1), { kind: 'busy' }])).made).to.deep.equal([1]);
  });

  it('has at most `maxBytes` of results, but one result of any size', async () => {
    expect((await transformed([done('x'.repeat(5))], 20)).made).to.have.length(2);
    expect((await transformed([done('x'.repeat(50))], 20)).made).to.have.length(1);
  });

  it('evaluates nothing more after three seconds', async () => {
    let now = 0;
    let evaluations = 0;
    const transform: TransformSample = async () => {
      evaluations += 1;
      now += 900;
      return done(evaluations);
    };
    const many = Array.from({ length: 10 }, () => samples).flat();
    const made = await transformSamplesWith(
      transform,
      () => now,
    )({
      orgId: 'acme',
      expression: 'id',
      samples: many,
      maxBytes: 99,
    });
    expect(made).to.deep.equal([1, 2, 3, 4]);
  });

  it('refuses a third request of an organisation while two are evaluated, and no request of another', async () => {
    const waiting: (() => void)[] = [];
    const transform: TransformSample = () => new Promise((resolve) => waiting.push(() => resolve(done(1))));
    const transformSamples = transformSamplesWith(transform);
    const request = (orgId: string) =>
      transformSamples({ orgId, expression: 'id', samples: samples.slice(0, 1), maxBytes: 99 });
    const [first, second] = [request('acme'), request('acme')];
    expect(await rejection(request('acme'))).to.be.instanceOf(TooManyRequests);
    const other = request('globex');
    for (const end of waiting) end();
    expect(await Promise.all([first, second, other])).to.deep.equal([[1], [1], [1]]);
    const next = request('acme');
    waiting.at(-1)?.();
    expect(await next).to.deep.equal([1]);
  });
});
