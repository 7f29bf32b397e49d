export type { components, paths } from '../api.js';
export { FlowHooksError } from './errors.js';
export { FlowHooks } from './flow-hooks.js';
export type { FlowHooksOptions } from './options.js';
export type * from './types.js';
export { type RequestHeaders, verify } from './verify.js';
