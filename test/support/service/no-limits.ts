import { requestLimits } from '../../../src/http/limits/request-limits.js';

/** Limits of requests that are all off. */
export const noLimits = requestLimits({});
