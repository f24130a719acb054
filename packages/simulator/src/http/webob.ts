import type { ApiResponse } from './api.ts';

export interface WebobProblem {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly accept: string;
}

/** An error in the format of WebOb, which Nova and Glance use: an HTML page, or JSON with that page's text in it. */
export function renderWebobProblem({ status, title, message, accept }: WebobProblem): ApiResponse {
  const explanation = `${message}<br /><br />\n\n\n`;
  if (accept.includes('json')) return { status, body: { message: explanation, code: `${status} ${title}`, title } };
  return {
    status,
    body: `<html>\n <head>\n  <title>${status} ${title}</title>\n </head>\n <body>\n  <h1>${status} ${title}</h1>\n  ${explanation}\n </body>\n</html>`,
  };
}
