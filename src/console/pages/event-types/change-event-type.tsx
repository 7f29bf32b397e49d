import {
  changeEventTypeRoute,
  declareEventTypeRoute,
  retireEventTypeRoute,
} from '../../../admin/api/contracts/event-types.js';
import type { RouteRequest } from '../../../http/route-contract.js';
import { Confirm, Field, Form, Submit } from '../../components/form.js';
import { jsonField } from '../../fields.js';
import type { PageRequest } from '../../page-request.js';
import { type PageView, redirectTo, type Site } from '../../page-view.js';
import { type EventType, nameOf, section, trailOf, typeHref, typeOf } from './event-type.js';

/** Declaring, changing and retiring event types. */
export function changeEventTypePages(site: Site): void {
  // A type that was retired is proposed as it was.
  site.form(`${section}/new`, declareEventTypeRoute, async (at) => ({
    title: 'Declare an event type',
    lead: 'Platforms offer it to choose from, and show its example as a sample until there are flow events.',
    section,
    trail: trailOf(at),
    content: formOf(at, at.query.text('name') === undefined ? undefined : await typeOf(at)),
  }));
  site.post(`${section}/new`, async (at) => {
    await at.call(declareEventTypeRoute, { body: definitionOf(at) });
    return redirectTo(at, `${section}/show`, { name: nameOf(at), notice: 'event-type-declared' });
  });

  site.form(`${section}/change`, changeEventTypeRoute, async (at) => {
    const type = await typeOf(at);
    return {
      title: `Change ${type.name}`,
      lead: 'Makes its next version. Flow events that were accepted before are not checked again.',
      section,
      trail: trailOf(at, type.name),
      content: formOf(at, type, true),
    };
  });
  site.post(`${section}/change`, async (at) => {
    const { changed } = await at.call(changeEventTypeRoute, { body: definitionOf(at) });
    const notice = changed.length === 0 ? 'event-type-unchanged' : 'event-type-changed';
    return redirectTo(at, `${section}/show`, { name: nameOf(at), notice });
  });

  site.form(`${section}/retire`, retireEventTypeRoute, async (at) => {
    const { name } = await typeOf(at);
    return {
      title: `Retire the event type ${name}?`,
      section,
      trail: trailOf(at, name),
      content: (
        <Confirm
          label="Retire"
          cancel={typeHref(at, name)}
          hidden={{ name }}
          consequences={[
            'Platforms no longer offer it. Listeners that are subscribed to it stay, and get their deliveries.',
            'Flow events of the type can still be published; they are no longer checked.',
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

const textOf = (value: unknown): string => (value == null ? '' : JSON.stringify(value, null, 2));

type JsonValue = RouteRequest<typeof declareEventTypeRoute>['body']['schema'];

/** An empty schema or example is none. Throws `InvalidRequest`. */
const definitionOf = ({ form }: PageRequest) => ({
  name: form.text('name') ?? '',
  description: form.text('description') ?? '',
  schema: (jsonField(form, 'schema') ?? null) as JsonValue, // it was parsed from JSON
  example: (jsonField(form, 'example') ?? null) as JsonValue,
  searchable:
    form
      .text('searchable')
      ?.split(/[\s,]+/)
      .filter(Boolean) ?? [],
});

const formOf = (at: PageRequest, type?: EventType, isKnown = false): PageView['content'] => (
  <Form class="stack json-editor" hidden={isKnown ? { name: type?.name } : {}} once>
    {!isKnown && (
      <Field
        label="Name"
        name="name"
        value={type?.name}
        required
        maxLength={128}
        hint="The type of the flow events, such as order.paid. Permanent."
      />
    )}
    <Field
      label="Description"
      name="description"
      value={type?.description}
      required
      maxLength={500}
      hint="Users of platforms see it."
    />
    <Field
      label="Schema of the data (JSON Schema)"
      name="schema"
      value={textOf(type?.schema)}
      lines={12}
      hint="Draft 2020-12, not recursive. Empty: any data."
    />
    <Field
      label="Example of the data (JSON)"
      name="example"
      value={textOf(type?.example)}
      lines={8}
      hint="The schema must accept it. Empty: samples are made by the schema."
    />
    <Field
      label="Searchable values"
      name="searchable"
      value={type?.searchable.join(' ')}
      placeholder="data.order.number data.email"
      hint="Paths of values by which flow events are found, besides ID and flowId; for events from now on."
    />
    <Submit
      label={isKnown ? 'Change' : 'Declare'}
      cancel={isKnown && type ? typeHref(at, type.name) : at.url(section)}
    />
  </Form>
);
