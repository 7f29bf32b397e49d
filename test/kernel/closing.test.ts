import { expect } from 'chai';
import { closeAll, closingAll } from '../../src/kernel/closing.js';
import { rejection } from '../support/rejection.js';

describe('closing what has been opened', () => {
  const parts = (closed: string[]) => ({
    first: () => void closed.push('first'),
    failing: async () => Promise.reject(new Error('the first failure')),
    failingLater: () => {
      throw new Error('another failure');
    },
    last: async () => void closed.push('last'),
  });

  it('closes the last first, and all of them although one fails, and throws the first failure', async () => {
    const closed: string[] = [];
    const { first, failing, failingLater, last } = parts(closed);
    const failure = await rejection(closeAll([first, failingLater, failing, last]));
    expect(failure).to.be.an('error').with.property('message', 'the first failure');
    expect(closed).to.eql(['last', 'first']);
  });

  it('returns the result of the work, once everything is closed', async () => {
    const closed: string[] = [];
    const result = await closingAll(async (onOpened) => {
      onOpened(parts(closed).first);
      return 'done';
    });
    expect([result, ...closed]).to.eql(['done', 'first']);
  });

  it('throws the error of the work rather than a later one of closing', async () => {
    const closed: string[] = [];
    const { first, failing } = parts(closed);
    const failure = await rejection(
      closingAll(async (onOpened) => {
        onOpened(first);
        onOpened(failing);
        throw new Error('the work failed');
      }),
    );
    expect(failure).to.be.an('error').with.property('message', 'the work failed');
    expect(closed).to.eql(['first']);
  });
});
