import { CheckBox } from '../components/form.js';

/** Scopes, of which some are ticked. */
export const ScopeBoxes = ({
  all,
  ticked,
}: {
  readonly all: readonly string[];
  readonly ticked: readonly string[];
}) => (
  <fieldset>
    <legend>Scopes</legend>
    {all.map((scope) => (
      <CheckBox key={scope} name="scopes" value={scope} label={scope} checked={ticked.includes(scope)} />
    ))}
  </fieldset>
);
