// The page /docs: shows the API description with Swagger UI, and sends requests to the service that the page is from.

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches);
darkScheme.addEventListener('change', followScheme);
followScheme();

/** The address of the service as this browser knows it: the page's own, without `/docs` or `/docs/`. */
const service = location.origin + location.pathname.replace(/\/docs\/?$/, '');

async function show() {
  const response = await fetch(`${service}/openapi.json`);
  if (!response.ok) throw new Error(`the description of the API is answered ${response.status}`);
  const spec = await response.json();
  spec.servers = [{ url: service, description: 'This service' }]; // its public address may be another one, which the CSP refuses
  window.SwaggerUIBundle({
    spec,
    dom_id: '#docs',
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    filter: true,
    tryItOutEnabled: true,
    validatorUrl: null,
  });
}

show().catch((error) => {
  const main = document.getElementById('docs');
  main.textContent = `The description cannot be shown: ${error.message}. It is at ${service}/openapi.json.`;
});
