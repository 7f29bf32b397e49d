import { forgetEnded, lastPrinted } from './service/running-services.js';

/** Mocha requires this: prints the last output of a failed test's services below it. */
export const mochaHooks = {
  afterEach(this: Mocha.Context): void {
    if (this.currentTest?.state === 'failed') for (const printed of lastPrinted()) console.log(printed);
    forgetEnded();
  },
};
