import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument } from '../../../src/http/api-description/openapi-document.js';

type Request = {
  parameters: readonly { $ref: string }[];
  requestBody: { content: Readonly<Record<string, { schema: { $ref: string } }>> };
};

/** Throws an error that says how a request to a receiver differs from the one that the description has for its type. */
export function receivedCheck(
  document: OpenApiDocument,
): (received: { headers: Readonly<Record<string, unknown>>; body: object }) => void {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  formats.default(ajv);
  ajv.addSchema(document, 'api');
  const { parameters } = document.components as { parameters: Readonly<Record<string, { name: string }>> };

  return ({ body, headers }) => {
    const { type } = body as { type?: string };
    const name = [`${type}`, `agent.${type ?? 'event'}`].find((each) => each in document.webhooks) ?? 'flow.event';
    const { post } = document.webhooks[name] ?? {};
    if (!post) throw new Error('the API description has no deliveries');
    const { parameters: described, requestBody } = post as unknown as Request;
    for (const { $ref } of described) {
      const { name: header = '' } = parameters[$ref.replace('#/components/parameters/', '')] ?? {};
      if (headers[header] === undefined) throw new Error(`${name}: there is no header ${header}`);
    }
    const { $ref = '' } = requestBody.content['application/json']?.schema ?? {};
    if (!ajv.validate(`api${$ref}`, body)) throw new Error(`${name}: ${ajv.errorsText()}`);
  };
}
