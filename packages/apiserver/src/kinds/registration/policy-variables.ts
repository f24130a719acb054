/** Variables of policy expressions. */
export const POLICY_VARIABLES = ['object', 'oldObject', 'request', 'namespaceObject', 'variables', 'authorizer'];
/** The variables of policies with a paramKind. */
export const PARAMETERIZED_VARIABLES = [...POLICY_VARIABLES, 'params'];
