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

  it('closes the last first, and all of it where one does not close, and tells of the first that did not', async () => {
    const closed: string[] = [];
    const { first, failing, failingLater, last } = parts(closed);
    const failure = await rejection(closeAll([first, failingLater, failing, last]));
    expect(failure).to.be.an('error').with.property('message', 'the first failure');
    expect(closed).to.eql(['last', 'first']);
  });

  it('gives what the work gives, once all of it is closed', async () => {
    const closed: string[] = [];
    const result = await closingAll(async (onOpened) => {
      onOpened(parts(closed).first);
      return 'done';
    });
    expect([result, ...closed]).to.eql(['done', 'first']);
  });

  it('tells of what the work failed with rather than of what did not close after it', async () => {
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
