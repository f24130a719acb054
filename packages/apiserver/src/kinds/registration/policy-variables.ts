/** Variables of policy expressions. */
export const POLICY_VARIABLES = ['object', 'oldObject', 'request', 'namespaceObject', 'variables', 'authorizer'];
/** The same for policies with a paramKind. */
export const PARAMETERIZED_VARIABLES = [...POLICY_VARIABLES, 'params'];
