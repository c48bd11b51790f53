include('self.p').
