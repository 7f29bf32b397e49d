import {
  changeEventTypeRoute,
  declareEventTypeRoute,
  retireEventTypeRoute,
} from '../../../admin/api/contracts/event-types.js';
import type { RouteRequest } from '../../../http/route-contract.js';
import { DomainError, InvalidRequest } from '../../../kernel/domain-error.js';
import { Confirm, Field } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import type { PageRequest } from '../../page-request.js';
import { type PageView, type Redirect, redirectTo, type Site } from '../../page-view.js';
import { parsedJson } from '../parsed-json.js';
import { nameOf, section, trailOf, typeHref, typeOf } from './event-type.js';

/** Fields of the form, as typed. */
type Draft = {
  readonly name: string;
  readonly description: string;
  readonly schema: string;
  readonly example: string;
};

/** A new type, or the next version of one. */
type Kind = 'new' | 'change';

/** Errors of what was typed: the form is shown again with it. */
const errorsOfInput = ['invalid_request', 'event_type_exists'];

/** Declaring, changing and retiring event types. */
export function changeEventTypePages(site: Site): void {
  // A type that was retired is proposed as it was.
  site.get(`${section}/new`, async (at) =>
    formView(at, 'new', nameOf(at) === '' ? { ...emptyDraft } : await presentDraft(at)),
  );
  site.post(`${section}/new`, (at) =>
    submitted(at, 'new', async (draft) => {
      await at.call(declareEventTypeRoute, { body: definitionOf(draft) });
      return 'event-type-declared';
    }),
  );

  site.get(`${section}/change`, async (at) => formView(at, 'change', await presentDraft(at)));
  site.post(`${section}/change`, (at) =>
    submitted(at, 'change', async (draft) => {
      const { changed } = await at.call(changeEventTypeRoute, { body: definitionOf(draft) });
      return changed.length === 0 ? 'event-type-unchanged' : 'event-type-changed';
    }),
  );

  site.get(`${section}/retire`, async (at) => {
    const { name } = await typeOf(at);
    return {
      title: `Retire the event type ${name}?`,
      section,
      trail: trailOf(at, name),
      content: (
        <Confirm
          action={at.url(`${section}/retire`)}
          label="Retire"
          cancel={typeHref(at, name)}
          hidden={{ name }}
          consequences={[
            'Platforms offer it no more. Listeners that are subscribed to it stay, and get their deliveries.',
            'Flow events of the type can still be published; they are checked no more.',
            'It can be declared again.',
          ]}
        />
      ),
    };
  });
  site.post(`${section}/retire`, async (at) => {
    const name = nameOf(at);
    await at.call(retireEventTypeRoute, { body: { name } });
    return redirectTo(at, `${section}/show`, { name, notice: 'event-type-retired' });
  });

  site.notices({
    'event-type-declared': 'The event type is declared.',
    'event-type-changed': 'The event type has a new version. It is in force within a second.',
    'event-type-unchanged': 'Nothing has changed: there is no new version.',
    'event-type-retired': 'The event type is retired.',
  });
}

const emptyDraft: Draft = { name: '', description: '', schema: '', example: '' };

async function presentDraft(at: PageRequest): Promise<Draft> {
  const { name, description, schema, example } = await typeOf(at);
  return { name, description, schema: textOf(schema), example: textOf(example) };
}

const textOf = (value: unknown): string => (value === null ? '' : JSON.stringify(value, null, 2));

const draftOf = (at: PageRequest): Draft => ({
  name: nameOf(at),
  description: at.form.text('description') ?? '',
  schema: at.form.text('schema') ?? '',
  example: at.form.text('example') ?? '',
});

/** An empty schema or example is none. Throws `InvalidRequest`. */
const definitionOf = ({ name, description, schema, example }: Draft) => ({
  name,
  description,
  schema: jsonOf('schema', schema),
  example: jsonOf('example', example),
});

type JsonField = RouteRequest<typeof declareEventTypeRoute>['body']['schema'];

function jsonOf(field: string, text: string): JsonField {
  if (text.trim() === '') return null;
  const parsed = parsedJson(text);
  if ('error' in parsed) throw new InvalidRequest(`${field}: is not valid JSON: ${parsed.error}`);
  return parsed.value as JsonField; // it was parsed from JSON
}

/** Leads to the event type with `act`'s notice, or shows the form again with the error. */
async function submitted(
  at: PageRequest,
  kind: Kind,
  act: (draft: Draft) => Promise<string>,
): Promise<PageView | Redirect> {
  const draft = draftOf(at);
  try {
    return redirectTo(at, `${section}/show`, { name: draft.name, notice: await act(draft) });
  } catch (error) {
    if (!(error instanceof DomainError) || !errorsOfInput.includes(error.code)) throw error;
    return formView(at, kind, draft, error.message);
  }
}

const formView = (at: PageRequest, kind: Kind, draft: Draft, error?: string): PageView => ({
  title: kind === 'new' ? 'Declare an event type' : `Change ${draft.name}`,
  section,
  lead:
    kind === 'new'
      ? 'Platforms offer it to choose from, and show its example as a sample until there are flow events.'
      : 'Makes its next version. Flow events that were accepted before are not checked again.',
  trail: trailOf(at, kind === 'new' ? undefined : draft.name),
  ...(error !== undefined && { status: 400 }),
  content: (
    <>
      {error !== undefined && (
        <Notice tone="bad">
          {kind === 'new' ? 'Not declared' : 'Not changed'}: {error}.
        </Notice>
      )}
      <form class="stack json-editor" method="post" action={at.url(`${section}/${kind}`)}>
        {kind === 'new' ? (
          <Field
            label="Name"
            name="name"
            value={draft.name}
            required
            maxLength={128}
            hint="The type of the flow events, such as order.paid. Permanent."
          />
        ) : (
          <input type="hidden" name="name" value={draft.name} />
        )}
        <Field
          label="Description"
          name="description"
          value={draft.description}
          required
          maxLength={500}
          hint="Users of platforms see it."
        />
        <Field
          label="Schema of the data (JSON Schema)"
          name="schema"
          value={draft.schema}
          lines={12}
          hint="Draft 2020-12, not recursive. Empty: any data."
        />
        <Field
          label="Example of the data (JSON)"
          name="example"
          value={draft.example}
          lines={8}
          hint="The schema must accept it. Empty: samples are made by the schema."
        />
        <div class="buttons">
          <button type="submit" class="primary">
            {kind === 'new' ? 'Declare' : 'Change'}
          </button>
          <a class="button" href={kind === 'new' ? at.url(section) : typeHref(at, draft.name)}>
            Cancel
          </a>
        </div>
      </form>
    </>
  ),
});
