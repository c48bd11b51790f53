include('role.p').
