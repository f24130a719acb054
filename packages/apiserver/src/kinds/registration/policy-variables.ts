/** What expressions of policies see. */
export const POLICY_VARIABLES = ['object', 'oldObject', 'request', 'namespaceObject', 'variables', 'authorizer'];
/** The same of policies with a paramKind. */
export const PARAMETERIZED_VARIABLES = [...POLICY_VARIABLES, 'params'];
