import { opaqueId } from '../../kernel/input/opaque-id.js';
import { parseOptions } from '../parse-options.js';

export type OrganisationOptions = { readonly org?: string };

/** Null without `--org`: the service-wide default. Throws `InvalidRequest`. */
export const organisationOf = ({ org }: OrganisationOptions): string | null =>
  parseOptions({ orgId: opaqueId.optional() }, { orgId: org }).orgId ?? null;
