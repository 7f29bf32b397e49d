import { mode } from '../../service/config/config.js';
import { targets } from '../../service/config/deliveries.js';
import { commandSettings } from './settings.js';

/** The allowed targets of a service that is started with these settings. */
export const targetPolicy = () => commandSettings(targets(commandSettings(mode) === 'development'));
