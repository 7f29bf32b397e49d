import { SettingsReader } from '../../service/config/settings.js';

/** Settings of the environment, with the service's checks. Throws `InvalidSetting`. */
export function readSettings<Settings>(read: (settings: SettingsReader) => Settings): Settings {
  const settings = new SettingsReader(process.env);
  const found = read(settings);
  for (const problem of settings.problems) throw problem;
  return found;
}
