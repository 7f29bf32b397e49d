import { targets } from '../../deliveries/settings.js';
import { commandSettings } from './settings.js';

/** The allowed targets of a service that is started with these settings. */
export const targetPolicy = () => commandSettings(targets);
