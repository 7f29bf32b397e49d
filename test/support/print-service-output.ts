import { forgetEnded, lastPrinted } from './service/running-services.js';

/** Mocha requires this: below a test that failed stands what its services had to say. */
export const mochaHooks = {
  afterEach(this: Mocha.Context): void {
    if (this.currentTest?.state === 'failed') for (const printed of lastPrinted()) console.log(printed);
    forgetEnded();
  },
};
